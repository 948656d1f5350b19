"""Local Bayes: items from five noised statistics, users from their own ratings alone.

In the order in which a fit goes through them: ``scale``, ``offsets``, ``directions``,
``refinement`` and ``check`` each make one statistic, bound it, release it and read it; ``counts``
is how often items are rated; ``users`` is what users
compute alone; ``beliefs`` is what is known of the items, by empirical Bayes, and ``features`` what
is known of them anyway; ``constants`` holds
every number that was chosen; ``method`` puts them together.
"""
