"""The parts that every HTML file of Crosslit shares: style, embedded data, and the content security policy.

Must not know a page.
"""
