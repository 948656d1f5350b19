"""The claims of the DPALS paper: its experiments, its remarks on cost, and its theorem 1.

Source: [Chien 2021]. The paper shows most of its numbers in figures only, so few claims can be
judged on printed numbers. The study also judges claims of the read-me of
DP_Matrix_Completion_Alt_Min, which contains no numbers.
"""
