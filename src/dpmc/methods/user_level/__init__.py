"""Private alternating least squares, and what it is compared with.

Sources, by the keys that modules use:

- Chien et al. 2021: Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating
  least squares: practical private matrix completion with tighter rates" (ICML)
- Dwork et al. 2014: Dwork, Talwar, Thakurta and Zhang, "Analyze Gauss" (STOC)
- Hardt 2014: "Understanding alternating minimization for matrix completion" (FOCS)
- Jain et al. 2018: Jain, Thakkar and Thakurta, "Differentially private matrix completion revisited"
  (ICML)
- Krichene et al. 2023: Krichene, Jain, Song, Sundararajan, Thakurta and Zhang, "Multi-task
  differential privacy under distribution skew" (ICML), with the authors' program in
  google-research, dp_alternating_minimization
- McSherry and Mironov 2009: "Differentially private recommender systems" (KDD)
- Wang, Zhao and Kolar 2023: "Differentially private matrix completion through low-rank matrix
  factorization" (AISTATS)
"""
