"""File forms of finite-domain models: each module has a writer, and a reader of solvers' answers.

A form is a module with ``COMMENT``, the sign that begins a comment; ``write(model)``, which yields the lines of the
file; and ``read(lines)``, which returns the `Reading` of a solver's output. Every form names variable i of a model
(from 0) x(i + 1). If ``BOOLEAN`` is true the form has no integer variables, and the model goes through
`without_integers` first.
"""
