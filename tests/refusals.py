"""What tests look for in a refusal: the field, its value and what is allowed, not the words between them."""

from __future__ import annotations

import re


def refuses(sentence: str, expected: str) -> bool:
    """Whether a message is one printable line that has the expected text; … stands for any words."""
    pattern = ".*".join(re.escape(part.strip()) for part in expected.split("…"))
    return sentence.isprintable() and re.search(pattern, sentence) is not None
