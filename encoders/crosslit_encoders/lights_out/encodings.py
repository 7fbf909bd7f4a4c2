"""The encodings of Lights Out: as CNF with or without parity constraints, and as finite-domain models.

The *full* system has a variable for each press and an XOR for each light; the *chased* system has a variable for each
press of the first row and an XOR for each column. Cutting XORs to three variables (``cut3``) is both the encoding by
partial parities and the one by a decision diagram, whose nodes are these parities and their complements; so there is no
separate encoding for either.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from crosslit.contract import Encoding
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE
from crosslit_encoders.lights_out import chased_cnf, chased_models, full_cnf, full_models
from crosslit_encoders.lights_out.sums import MAX_SHARED_BITS, TRUSTED_CHASE, hard_reason

_LIGHTS = frozenset({"light-xors"})
_CHASED = "few presses, on usual boards the first row,"
_SYSTEMS = (
    ("full", full_cnf.full, _LIGHTS, "one XOR per light"),
    ("chased", chased_cnf.chased, TRUSTED_CHASE, f"{_CHASED} one XOR for each"),
)
_MODELS = (
    ("xor", ["linear-xor", "cp-sat"], full_models.xor, _LIGHTS, "one parity constraint per light"),
    ("sum", ["linear", "cp-sat"], full_models.sums, _LIGHTS, "number of presses = 2 k + lit"),
    ("sum-steps", ["linear"], full_models.sum_steps, _LIGHTS, "number of presses = 2 * (true steps) + lit"),
    ("automaton", ["fd", "cp-sat"], full_models.automaton, _LIGHTS, "one automaton of two states per light"),
    (
        "chased",
        ["linear-xor", "cp-sat"],
        chased_models.chased,
        TRUSTED_CHASE,
        f"{_CHASED} a parity constraint for each",
    ),
    (
        "chased-shared",
        ["cp-sat"],
        chased_models.chased_shared,
        TRUSTED_CHASE | {"xor-shared"},
        f"{_CHASED} shared parities",
    ),
    (
        "chased-sum",
        ["linear"],
        chased_models.chased_sums,
        TRUSTED_CHASE,
        f"{_CHASED} number of presses = 2 k + lit",
    ),
)
_DEFAULT = {
    ("full-direct", "cnf"),
    ("full-xor", "cnf-xor"),
    ("xor", "linear-xor"),
    ("xor", "cp-sat"),
    ("sum", "linear"),
}
_FASTEST = {
    ("chased-shared", "cnf"),
    ("chased-xor", "cnf-xor"),
    ("chased", "linear-xor"),
    ("chased-shared", "cp-sat"),
}


def _encoding(name: str, target: str, encode: Callable[..., Any], trusted: frozenset[str], summary: str) -> Encoding:
    return Encoding(
        name=name,
        kind="lights-out",
        target=target,
        encode=encode,
        trusted_base=trusted,
        summary=summary,
        default=(name, target) in _DEFAULT,
        default_for=frozenset({"solutions", "count"} if (name, target) in _FASTEST else ()),
        hard_reason=partial(hard_reason, halved=False, max_bits=MAX_SHARED_BITS) if name == "chased-shared" else None,
    )


ENCODINGS = [
    # Cutting does not help the full system, whose XORs are short: on 11 x 11 full-cut3 takes twice as long. The chased
    # system is faster, but has no variables for most presses.
    *(
        _encoding(f"{system}-direct", "cnf", encode, trusted | {"xor-direct"}, f"{summary}, each by 2^(k-1) clauses")
        for system, encode, trusted, summary in _SYSTEMS
    ),
    *(
        _encoding(
            f"{system}-cut{max_size}",
            "cnf",
            partial(encode, max_size=max_size),
            trusted | {"xor-direct", "xor-cut"},  # the parts of a cut XOR are encoded directly
            f"{summary}, cut into XORs of at most {max_size}",
        )
        for system, encode, trusted, summary in _SYSTEMS
        for max_size in (3, 4, 5)
    ),
    _encoding(
        "chased-shared",
        "cnf",
        chased_cnf.chased_shared,
        TRUSTED_CHASE | {"xor-direct", "xor-cut", "xor-shared"},
        f"{_CHASED} one XOR for each, over shared parities of five presses",
    ),
    _encoding("full-xor", "cnf-xor", full_cnf.full_xor, _LIGHTS, "one XOR per light, native"),
    _encoding("chased-xor", "cnf-xor", chased_cnf.chased_xor, TRUSTED_CHASE, f"{_CHASED} one XOR for each, native"),
    *(
        _encoding(name, target, encode if target != "cp-sat" else cp_sat_of(encode), trusted | {LINEAGE}, summary)
        for name, targets, encode, trusted, summary in _MODELS
        for target in targets
    ),
]
