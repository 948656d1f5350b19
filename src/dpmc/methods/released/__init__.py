"""What fits publish: folders with their guarantee, and how these are checked."""
