"""The commands that make pages and print traces."""
