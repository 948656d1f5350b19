"""Local Bayes learns items from five noised statistics; users compute their own part alone.

A fit uses the modules in this order: ``scale``, ``offsets``, ``directions``, ``refinement`` and
``check`` each compute, bound, release and read one statistic. ``worth`` releases errors on held-out
ratings. ``counts`` estimates how often items are rated, ``beliefs`` the items' parameters
(empirical Bayes). ``features`` prepares public features of the items. ``users`` is what each user
computes alone, ``constants`` holds the tuned numbers, and ``method`` combines everything.
``docs/local_bayes.md`` describes what users send and proves the guarantee.

Each ``statistic(rows, ...)`` takes the ratings by user, less the centre of the range. It returns
sums over users and the norm of the longest vector that a user sent. Each ``read(noised, noise,
...)`` takes these sums with added noise of standard deviation ``noise``.
"""
