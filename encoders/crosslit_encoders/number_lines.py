"""Lines of integers as text, made by operations on arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def number_lines(numbers: NDArray[np.integer], ends: NDArray[np.integer], separator: str) -> str:
    r"""Return lines of integers as text, with a separator in front of each integer and a line end after each line.

    The text of each number is looked up in a table up to the greatest, so it should be about as large as their count.

    Args:
        numbers: those of all lines in sequence.
        ends: for each line, the index after its last number, ascending.
        separator: one character.

    Examples:
        >>> number_lines(np.array([1, -20, 3]), np.array([2, 2, 3]), ",")
        ',1,-20\n\n,3\n'
    """
    greatest = int(np.abs(numbers).max(initial=0))
    digits = np.arange(greatest + 1).astype(f"S{len(str(greatest))}")  # padded with zero bytes, removed at the end
    words = np.zeros((2 * greatest + 2, 2 + digits.itemsize), np.uint8)
    words[:-1, 0] = ord(separator)
    words[: greatest + 1, 2:] = digits.view(np.uint8).reshape(greatest + 1, -1)
    words[greatest + 1 : -1, 1:] = words[greatest:0:-1, 1:]  # -greatest to -1, where negative indices find them
    words[greatest + 1 : -1, 1] = ord("-")
    words[-1, 0] = ord("\n")
    # -1 is the line end, so the negative numbers are one further from the end
    places = np.insert(numbers - (numbers < 0), ends, -1)
    # as one item each: an array of bytes takes three times as long to look up
    return words.view(f"V{words.shape[1]}")[places].tobytes().translate(None, b"\0").decode()
