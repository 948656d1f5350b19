"""Items ranked by what users like: a private item-item model that each user applies alone.

A user has a set of likes. Three noised statistics make the model, each a sum over users of what
one user sends, made, bounded and read in a module of its own: ``counts``, ``pairs`` and ``check``;
``constants`` holds all numbers that were chosen, ``method`` puts them together, and ``references``
has what its lists are compared with. Each statistic has a
share of mu^2, and the choices that depend on noised numbers are those of adaptive composition (see
:mod:`dpmc.methods.user_level.local_bayes.method`). ``docs/ranking.md`` has the algorithm and the
proof.
Each ``statistic`` returns sums over users, and the norm of the longest vector that a user sent.
"""
