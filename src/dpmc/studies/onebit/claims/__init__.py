"""The claims of the one-bit paper: its experiments, and what it prints that is not right.

Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719). Its figures' values are not available, so that no claim can be judged on print.
"""
