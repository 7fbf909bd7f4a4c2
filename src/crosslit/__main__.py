"""``python -m crosslit``, which is the command ``crosslit``."""

from crosslit.cli import main

if __name__ == "__main__":
    main()
