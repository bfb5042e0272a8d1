"""One text of several: the language that a reader wants."""

from collections.abc import Iterable, Sequence

from pyoxigraph import Literal


def choose_text(literals: Iterable[Literal], languages: Sequence[str]) -> str | None:
    """One text: in the first wanted language that is there, then `mul`, then untagged, then the first tag in order."""
    texts: dict[str, str] = {}
    for one in literals:
        tag = (one.language or "").lower()
        texts[tag] = min(one.value, texts.get(tag, one.value))
    wanted = [language.lower() for language in languages]
    order: list[str] = []
    for want in wanted:
        order += [want, *sorted(tag for tag in texts if tag.startswith(want + "-"))]
    return next((texts[tag] for tag in [*order, "mul", "", *sorted(texts)] if tag in texts), None)
