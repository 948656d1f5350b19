"""Alternating least squares and biases with privacy, and Bayesian ALS without.

Sources, by the keys that modules use: Gowtham et al. 2022 is the paper that
:mod:`dpmc.mechanisms.huber` names; Koren 2010 is "Factor in the neighbors", ACM TKDD 4(1).
"""
