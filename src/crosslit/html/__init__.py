"""The parts that all HTML files of Crosslit share: style, embedded data, and the content security policy.

The policy lets no script run except the page's own. Must not know any particular page.
"""
