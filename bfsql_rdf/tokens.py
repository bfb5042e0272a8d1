"""How much of a language model's context a text takes, by a rule of thumb that needs no tokenizer."""

import math


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: four ASCII characters, or one and a half others, to a token."""
    return math.ceil(weigh(text) / TOKEN)


TOKEN = 12
"""What one token weighs."""


def weigh(text: str) -> int:
    """The same in twelfths of a token, which add up: the weight of a whole is the sum of its parts'."""
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return 3 * plain + 8 * (len(text) - plain)
