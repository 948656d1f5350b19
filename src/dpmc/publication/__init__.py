"""Private tables of ratings, public lists, and folders that are written whole or not at all."""
