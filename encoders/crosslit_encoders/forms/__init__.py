"""File forms of finite-domain models: each module has a writer, and a reader of solvers' answers.

A form is a module with the names of `crosslit_encoders.finite_domain.Form`, and a line in the `REGISTERED` of
`crosslit_encoders`. Every form names variable i of a model (from 0) x(i + 1).
"""
