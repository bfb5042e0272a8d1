"""Names as they are compared: case, accents and punctuation folded away, in words of any script."""

import re
import unicodedata

from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

NAME_LENGTH = 300
"""Characters of a name that are looked at."""

_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that are written without spaces: each character is a word, a run of them is a phrase."""

_TOKENS = re.compile(f"[{_ALONE}]|[^{_ALONE}]+")
_RUNS = re.compile(f"[{_ALONE}]+|[^{_ALONE}]+")
_ALONE_FIRST = re.compile(f"[{_ALONE}]")
_ASCII = re.compile("[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_POSSESSIVE = re.compile(r"(?<=\w)['`´‘’ʹʻʼ]s\b")
_APOSTROPHES = frozenset("'`´‘’ʹʻʼ")
_ACCENTS = (
    (0x0300, 0x036F),
    (0x0483, 0x0489),
    (0x0591, 0x05C7),
    (0x0610, 0x061A),
    (0x0640, 0x0640),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06ED),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
)
"""Accents and optional points; the vowel signs of Indic scripts and the voicing marks of kana tell words apart."""

_LATIN = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.ascii_fold()).build()


class _Unaccented(dict[int, str]):
    """What becomes of each character of decomposed text, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = unicodedata.category(char)
        if kind == "Cf" or any(first <= code <= last for first, last in _ACCENTS):
            char = ""
        elif kind in ("Cc", "Cs"):
            char = " "
        self[code] = char
        return char


class _Lettered(dict[int, str]):
    """Letters, digits and marks as they are, symbols beyond ASCII as words of their own, the rest as spaces."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = unicodedata.category(char)
        if char in _APOSTROPHES:
            found = ""
        elif char.isalnum() or kind[0] == "M":
            found = char
        else:
            found = f" {char} " if kind[0] == "S" and code > 0x7F else " "
        self[code] = found
        return found


_UNACCENTED, _LETTERED = _Unaccented(), _Lettered()


def fold(text: str) -> str:
    """Text without case and accents, each run of white space one space; punctuation stays."""
    if text.isascii():
        return " ".join(text.lower().split())
    text = unicodedata.normalize("NFKD", text).casefold()
    text = unicodedata.normalize("NFKD", text).translate(_UNACCENTED)
    folded = _LATIN.analyze(unicodedata.normalize("NFC", text))
    return " ".join(folded[0].lower().split()) if folded else ""


class Folded:
    """A name as it is compared.

    `written` keeps its punctuation; `runs` are its words, where a script has no spaces what stands together; `words`
    are its words, where a script has no spaces its characters; `plain` has a space between the words. An English
    possessive is the word itself: Cushing's syndrome is Cushing syndrome.
    """

    __slots__ = ("plain", "runs", "words", "written")

    def __init__(self, name: str) -> None:
        self.written = fold(name[:NAME_LENGTH])
        bare = _POSSESSIVE.sub("", self.written)
        if bare.isascii():
            self.runs = self.words = _ASCII.findall(bare.replace("'", "").replace("`", ""))
        else:
            pieces = bare.translate(_LETTERED).split()
            self.runs = [run for piece in pieces for run in _RUNS.findall(piece)]
            self.words = [word for run in self.runs for word in _TOKENS.findall(run)]
        self.plain = " ".join(self.words)

    @property
    def searched(self) -> str:
        """The words it is found by: its own, and those with an apostrophe in them parted and joined."""
        if _APOSTROPHES.isdisjoint(self.written):
            return self.plain
        spaced, joined = (Folded("".join(mark if c in _APOSTROPHES else c for c in self.written)) for mark in (" ", ""))
        return f"{self.plain} {spaced.plain} {joined.plain}"


def parted(name: str) -> str:
    """A local name with a space before each capital inside it."""
    return _CAMEL.sub(" ", name)


def unspaced(run: str) -> bool:
    """Whether a run is of a script that is written without spaces."""
    return _ALONE_FIRST.match(run) is not None


def typos(word: str) -> int:
    """How many edits are forgiven: one for four or five letters, two from six on."""
    letters = sum(char.isalpha() for char in word)
    return 0 if letters < 4 or len(word) > 60 else 1 if letters < 6 else 2
