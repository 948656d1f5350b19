"""A fit for publication, from its parameters to its ratings, for the command line and programs.

Nothing here knows of either. Refusals name parameters (:class:`dpmc.errors.ParameterError`).
"""
