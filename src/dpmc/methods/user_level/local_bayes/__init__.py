"""Local Bayes: items from five noised statistics, users from their own ratings alone.

In the order in which a fit goes through them: ``scale``, ``offsets``, ``directions``,
``refinement`` and ``check`` each make one statistic, bound it, release it and read it; ``counts``
is how often items are rated; ``users`` is what users compute alone; ``beliefs`` is what is known of
the items, by empirical Bayes, and ``features`` what is publicly known of them anyway; ``constants``
holds the numbers that were chosen; ``method`` puts them together. ``docs/local_bayes.md`` says
what users send and proves the guarantee.

Each ``statistic(rows, ...)`` is of ratings by user, less the centre of the range, and returns sums
over users and the norm of the longest vector that a user sent; each ``read(noised, noise, ...)`` is
given the sums with noise of this standard deviation.
"""
