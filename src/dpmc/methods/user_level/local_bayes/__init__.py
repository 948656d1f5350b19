"""Local Bayes: items from four noised statistics, users from their own ratings alone.

In the order in which a fit goes through them: ``scale``, ``offsets``, ``directions`` and
``refinement`` each make one statistic, bound it, release it and read it; ``users`` is what users
compute alone; ``beliefs`` is what is known of the items, by empirical Bayes; ``constants`` holds
every number that was chosen; ``method`` puts them together.
"""
