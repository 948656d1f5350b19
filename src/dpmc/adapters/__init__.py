"""What lets other libraries use a private model as one of their own; each needs an extra."""
