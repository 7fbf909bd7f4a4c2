"""SAT solvers of PySAT, CryptoMiniSat, and what is built on them."""
