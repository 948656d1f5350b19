"""The claims of the DPALS paper: its experiments, its remarks on cost, and its theorem 1.

[Chien 2021]. Most of its numbers are in figures only, so that few claims can be judged on print.
Beside them those of the read-me of DP_Matrix_Completion_Alt_Min, which has no numbers.
"""
