"""Private alternating least squares, and what it is compared with.

Source: Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares: practical private matrix completion with tighter rates" (ICML 2021).
"""
