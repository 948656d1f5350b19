"""Folders that fits publish, with their guarantee, and the checks of these folders."""
