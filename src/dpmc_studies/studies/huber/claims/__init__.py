"""The papers' claims, each with a predicate that our trials and their own tables decide."""
