"""The reproduction: studies of papers, and the code that runs, judges and shows them.

It imports the library ``dpmc``, which never imports this package.
"""
