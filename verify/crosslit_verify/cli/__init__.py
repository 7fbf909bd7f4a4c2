"""The commands of `crosslit verify` and `crosslit check-backend`."""
