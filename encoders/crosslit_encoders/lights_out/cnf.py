"""Lights Out to CNF, with or without parity constraints: a system of XORs, and the clauses of each.

The *full* system has a variable for each press and an XOR for each light; the *chased* system has a variable for each
press of the first row and an XOR for each column. Cutting XORs to three variables (``cut3``) is both the encoding by
partial parities and the one by a decision diagram, whose nodes are these parities and their complements; so there is no
separate encoding for either.
"""

from __future__ import annotations

from functools import partial

from crosslit.contract import Encoding
from crosslit_encoders.lights_out.chase import TRUSTED_CHASE, hard_reason
from crosslit_encoders.lights_out.chased_cnf import chased, chased_shared, chased_xor
from crosslit_encoders.lights_out.full_cnf import full, full_xor

_CHASED = "few presses, on usual boards the first row, one XOR for each"
_SYSTEMS = (
    ("full", full, frozenset({"light-xors"}), "one XOR per light"),
    ("chased", chased, TRUSTED_CHASE, _CHASED),
)

ENCODINGS = [
    *(
        Encoding(
            name=f"{system}-direct",
            kind="lights-out",
            target="cnf",
            encode=encode,
            trusted_base=trusted | {"xor-direct"},
            summary=f"{summary}, each by 2^(k-1) clauses",
            # Cutting does not help the full system, whose XORs are short: on 11 x 11 full-cut3 takes twice as long. The
            # chased system is faster, but has no variables for most presses.
            default=system == "full",
        )
        for system, encode, trusted, summary in _SYSTEMS
    ),
    *(
        Encoding(
            name=f"{system}-cut{max_size}",
            kind="lights-out",
            target="cnf",
            encode=partial(encode, max_size=max_size),
            trusted_base=trusted | {"xor-direct", "xor-cut"},  # the parts of a cut XOR are encoded directly
            summary=f"{summary}, cut into XORs of at most {max_size}",
        )
        for system, encode, trusted, summary in _SYSTEMS
        for max_size in (3, 4, 5)
    ),
    Encoding(
        name="chased-shared",
        kind="lights-out",
        target="cnf",
        encode=chased_shared,
        trusted_base=TRUSTED_CHASE | {"xor-direct", "xor-cut", "xor-shared"},
        summary=f"{_CHASED}, over shared parities of five presses",
        default_for=frozenset({"solutions", "count"}),
        hard_reason=hard_reason,
    ),
    *(
        Encoding(
            name=name,
            kind="lights-out",
            target="cnf-xor",
            encode=encode,
            trusted_base=trusted,
            summary=summary,
            default=name == "full-xor",
            default_for=frozenset({"solutions", "count"} if name == "chased-xor" else ()),
        )
        for name, encode, trusted, summary in (
            ("full-xor", full_xor, frozenset({"light-xors"}), "one XOR per light, native"),
            ("chased-xor", chased_xor, TRUSTED_CHASE, f"{_CHASED}, native"),
        )
    ),
]
