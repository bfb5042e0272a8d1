"""How much of a language model's context a text takes, by a rule of thumb that needs no tokenizer."""

import math


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: four ASCII characters, or one and a half others, to a token."""
    plain = sum(character.isascii() for character in text)
    return math.ceil(plain / 4 + (len(text) - plain) / 1.5)
