"""What may be published of a fit: public lists, the table of ratings, folders, and their check."""
