"""The claims of the one-bit paper: its experiments, and what it prints that is not right.

Source: [Li 2021]. The values of its figures are not available, so no claim is judged on print.
"""
