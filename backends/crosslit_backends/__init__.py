"""The backends: one module for each native solver or family of engines.

They meet the rest of Crosslit in `crosslit.contract.Backend` alone, and are found through the entry point group
``crosslit.backends``.
"""
