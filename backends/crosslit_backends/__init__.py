"""The backends: one module for each native solver or family of engines.

Their only interface to the rest of Crosslit is `crosslit.contract.Backend`. A backend is one file and one line in
`REGISTERED`; other distributions register theirs under the entry point group ``crosslit.backends``.
"""

from crosslit_encoders import REGISTERED as ENCODERS

REGISTERED = {
    "crosslit.backends": {
        "brute": "crosslit_backends.brute:BACKENDS",
        "first-row": "crosslit_backends.lights_out.first_row:BACKENDS",
        "gauss": "crosslit_backends.lights_out.gauss:BACKENDS",
        "polynomial": "crosslit_backends.lights_out.polynomial:BACKENDS",
        "howell": "crosslit_backends.lights_out.howell:BACKENDS",
        "modular-chase": "crosslit_backends.lights_out.modular_chase:BACKENDS",
        "alignment": "crosslit_backends.nonogram.alignment:BACKENDS",
        "line": "crosslit_backends.nonogram.line:BACKENDS",
        "hybrid": "crosslit_backends.nonogram.hybrid:BACKENDS",
        "frontier": "crosslit_backends.nonogram.frontier:BACKENDS",
        "pysat": "crosslit_backends.sat.mus:BACKENDS",
        "cryptominisat": "crosslit_backends.sat.cryptominisat:BACKENDS",
        "cpsat": "crosslit_backends.engines.cpsat:BACKENDS",
        "choco": "crosslit_backends.engines.choco:BACKENDS",
        "clingo": "crosslit_backends.engines.clingo:BACKENDS",
        "exact": "crosslit_backends.engines.exact:BACKENDS",
        "mip": "crosslit_backends.engines.mip:BACKENDS",
        "minizinc": "crosslit_backends.engines.minizinc:BACKENDS",
        "scip": "crosslit_backends.engines.scip:BACKENDS",
        "z3": "crosslit_backends.engines.z3:BACKENDS",
        "fewest": "crosslit_backends.lights_out.fewest:BACKENDS",
        "rc2": "crosslit_backends.lights_out.rc2:BACKENDS",
        "dimacs": "crosslit_backends.commands.dimacs:BACKENDS",
        "ganak": "crosslit_backends.sat.ganak:BACKENDS",
    },
    "crosslit.commands": {
        **dict.fromkeys(ENCODERS["crosslit.forms"], "crosslit_backends.commands.form:command"),
        "cnf": "crosslit_backends.commands.dimacs:command",
        "file": "crosslit_backends.commands.program:program",
        "files": "crosslit_backends.commands.program:program",
        "json": "crosslit_backends.commands.program:program",
        "mzn": "crosslit_backends.engines.minizinc:command",
    },
}
"""The lists of backends, and the makers of backends of commands by the placeholder in the command."""
