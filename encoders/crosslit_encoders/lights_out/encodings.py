"""The encodings of Lights Out: as CNF with or without parity constraints, and as finite-domain models.

The *full* system has a variable for each press and an XOR for each light; the *chased* system has a variable for each
press of the first row and an XOR for each column. That is faster, but leaves most presses without a variable.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from crosslit.contract import Encoding
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE
from crosslit_encoders.lights_out import cnf, models
from crosslit_encoders.lights_out.equations import MAX_SHARED_BITS, TRUSTED_CHASE, hard_reason

_LIGHTS = frozenset({"light-xors"})
_CUT = frozenset({"xor-direct", "xor-cut"})  # the parts of a cut XOR are encoded directly
_SHARED, _MODEL = frozenset({"xor-shared"}), frozenset({LINEAGE})
_FEW = "few presses, on usual boards the first row,"
_PARITIES = ("linear-xor", "cp-sat")
_TABLE: tuple[tuple[str, tuple[str, ...], Callable[..., Any], frozenset[str], str], ...] = (
    ("full-direct", ("cnf",), cnf.full, _LIGHTS | {"xor-direct"}, "one XOR per light, each by 2^(k-1) clauses"),
    (
        "full-cut4",
        ("cnf",),
        partial(cnf.full, max_size=4),
        _LIGHTS | _CUT,
        "one XOR per light, cut into XORs of at most 4",
    ),
    ("chased-cut4", ("cnf",), cnf.chased, TRUSTED_CHASE | _CUT, f"{_FEW} one XOR for each, cut into XORs of at most 4"),
    (
        "chased-shared",
        ("cnf",),
        cnf.chased_shared,
        TRUSTED_CHASE | _CUT | _SHARED,
        f"{_FEW} one XOR for each, over shared parities of five presses",
    ),
    ("full-xor", ("cnf-xor",), cnf.full_xor, _LIGHTS, "one XOR per light, native"),
    ("chased-xor", ("cnf-xor",), cnf.chased_xor, TRUSTED_CHASE, f"{_FEW} one XOR for each, native"),
    ("xor", _PARITIES, models.xor, _LIGHTS | _MODEL, "one parity constraint per light"),
    ("sum", ("linear", "cp-sat"), models.sums, _LIGHTS | _MODEL, "number of presses = 2 k + lit"),
    ("chased", _PARITIES, models.chased, TRUSTED_CHASE | _MODEL, f"{_FEW} a parity constraint for each"),
    ("chased-shared", ("cp-sat",), models.chased_shared, TRUSTED_CHASE | _SHARED | _MODEL, f"{_FEW} shared parities"),
)
_DEFAULT = {
    ("full-direct", "cnf"),
    ("full-xor", "cnf-xor"),
    ("xor", "linear-xor"),
    ("xor", "cp-sat"),
    ("sum", "linear"),
}
_FASTEST = {("chased-shared", "cnf"), ("chased-xor", "cnf-xor"), ("chased", "linear-xor"), ("chased-shared", "cp-sat")}

ENCODINGS = [
    Encoding(
        name=name,
        kind="lights-out",
        target=target,
        encode=cp_sat_of(encode) if target == "cp-sat" else encode,
        trusted_base=trusted,
        summary=summary,
        default=(name, target) in _DEFAULT,
        default_for=frozenset({"solutions", "count"} if (name, target) in _FASTEST else ()),
        hard_reason=partial(hard_reason, halved=False, max_bits=MAX_SHARED_BITS) if name == "chased-shared" else None,
    )
    for name, targets, encode, trusted, summary in _TABLE
    for target in targets
]
