"""The claims of the one-bit paper: its experiments, and what it prints that is not right.

[Li 2021]. Its figures' values are not available, so that no claim can be judged on print.
"""
