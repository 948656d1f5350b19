"""A private item-item model that ranks items by what users like; users apply it alone.

A user has a set of likes. The model is made of three noised sums over users. ``counts``, ``pairs``
and ``check`` each compute, bound and read one of them. ``constants`` holds the tuned numbers,
``method`` combines everything, and ``references`` has the models for comparison. Each statistic has
a share of mu^2. Choices that depend on noised numbers follow adaptive composition (see
:mod:`dpmc.methods.user_level.local_bayes.method`). Each ``statistic`` returns sums over users and
the norm of the longest vector that a user sent. ``docs/ranking.md`` has algorithm and proof.
"""
