"""The commands that make puzzles and audit packs of them."""
