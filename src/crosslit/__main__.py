"""``python -m crosslit``: the same as the command ``crosslit``."""

from crosslit.cli import main

if __name__ == "__main__":
    main()
