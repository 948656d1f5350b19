"""One-bit matrix completion: recover a real matrix from signs of noisy entries, with privacy.

Source: Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719), called Li et al. 2021 or the paper here. Davenport, Plan, van den Berg and
Wootters stated the problem in "1-bit matrix completion" (2014).
"""
