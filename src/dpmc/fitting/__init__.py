"""A fit for publication, from its parameters to its ratings, for the command line and programs.

Nothing here depends on either. Errors name parameters (:class:`dpmc.errors.ParameterError`).
"""
