"""The commands of `crosslit bench`."""
