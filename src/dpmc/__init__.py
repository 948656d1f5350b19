"""Differentially private matrix completion: reproduction, checks and extensions."""

__version__ = "0.1.0"
