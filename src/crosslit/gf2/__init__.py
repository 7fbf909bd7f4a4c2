"""Linear algebra over GF(2) on Python integers as bit vectors, and what it says about Lights Out boards."""

from crosslit.gf2.elimination import LinearSystem
from crosslit.gf2.lights_out import affordable, board_system, nullity, upright

__all__ = ["LinearSystem", "affordable", "board_system", "nullity", "upright"]
