"""The reproduction: studies of papers, and what runs, judges and shows them.

It imports the library ``dpmc``, which never imports this package.
"""
