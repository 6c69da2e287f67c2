"""How a refusal is tested: by the field, the value and the limit that it names, not by its wording."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest


@contextmanager
def refused(*named, error=ValueError):
    """Expects one line that names all of these."""
    with pytest.raises(error) as found:
        yield
    check_named(str(found.value), *named)
    assert "\n" not in str(found.value)


def check_named(sentence, *named):
    """That a sentence names all of these."""
    for each in named:
        assert each in sentence, f"{each!r} is not in {sentence!r}"


def sentence_with(sentences, *named):
    """The one sentence that names all of these."""
    (found,) = [sentence for sentence in sentences if all(each in sentence for each in named)]
    return found


def refuses(sentence: str, expected: str) -> bool:
    """Whether a message is one printable line that has the expected text; … stands for any words."""
    pattern = ".*".join(re.escape(part.strip()) for part in expected.split("…"))
    return sentence.isprintable() and re.search(pattern, sentence) is not None
