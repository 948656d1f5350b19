"""What fits and completions publish: folders with their guarantee, and how these are checked."""
