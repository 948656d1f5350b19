"""``python -m dpmc``."""

from dpmc.cli import main

main()
