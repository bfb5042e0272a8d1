"""A style of the dataset's own: any SPARQL pattern that binds ?statement ?subject ?predicate ?object."""

from bfsql_rdf.styles.base import Style


def custom_style(name: str, pattern: str) -> Style:
    """The style `[style.NAME]` of a profile; the VALUES block stands first in the same group."""
    return Style(
        name=name,
        pattern=pattern,
        outgoing=lambda values: f"{values}\n{pattern}",
        incoming=lambda values: f"{values}\n{pattern}",
    )
