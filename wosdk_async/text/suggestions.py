"""Suggestions for misspelt names.

Names are similar if only a few letters differ. They are also similar if one name contains all words of the
other, apart from fillers such as ``at``: ``status`` and ``status_id``, ``created_at`` and ``dt_created``.
Names that merely share most letters in order, such as ``coment`` and ``documents``, are not similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import itemgetter

_LETTERS = 4  # one in this many letters may be wrong
_STEM = 5  # words that share this many first letters count as related: assignee, assignments
_FEW = 2  # words this short must be equal, or differ by one extra letter
_PART = 0.25  # the words in both names must make up at least this part of the longer name
_FILLERS = frozenset({"at", "date", "dt", "id", "is", "no", "on", "the", "to", "utc"})
"""Words that say little about a name's purpose."""
_ABBREVIATED = {"wo": ("work", "order")}  # the prefix of the service's command names
_MAX_NAME = 200  # maximum letters of a name that are compared
_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def suggestion(name: str, names: Iterable[str], cutoff: float = 0.0) -> str:
    """Return ``; did you mean ...?`` for the most similar of ``names``, or an empty string.

    Letter case and underscores are ignored: ``statusid`` and ``StatusId`` are both similar to ``status_id``.
    Names whose letters are less similar than ``cutoff`` (0 to 1) are not suggested.
    """
    from difflib import SequenceMatcher  # imported here, because only messages need it

    given = _words(name)
    text, whole = _plain(name), _written_out(given)
    if not given:
        return ""
    letters = SequenceMatcher(None, "", text, autojunk=False)
    candidates: list[tuple[tuple[bool, int, float, bool], str]] = []
    for other in names:
        words = _words(other)
        misspelt, others = _is_misspelt(given, words), _written_out(words)
        if misspelt or _shares_words(whole, others) or _shares_words(others, whole):
            letters.set_seq1(plain := _plain(other))
            if (likeness := letters.ratio()) >= cutoff:
                further = 0 if misspelt else len({*others} ^ {*whole})
                candidates.append(((misspelt, -further, likeness, plain.startswith(text)), other))
    return f"; did you mean {max(candidates, key=itemgetter(0))[1]!r}?" if candidates else ""


def _plain(name: str) -> str:
    return name[:_MAX_NAME].replace("_", "").lower()


def _words(name: str) -> list[str]:
    return _WORD.findall(_HUMP.sub("_", name[:_MAX_NAME]).lower())


def _written_out(words: Iterable[str]) -> list[str]:
    return [each for word in words for each in _ABBREVIATED.get(word, (word,))]


def _is_misspelt(given: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether at most a few letters differ, in each word or in the joined words."""
    if len(given) == len(words):
        return all(_is_near(one, other) for one, other in zip(given, words, strict=True))
    return _is_near("".join(given), "".join(words))


def _shares_words(few: Sequence[str], many: Sequence[str]) -> bool:
    """Return whether all words of ``few``, apart from fillers, are in ``many`` and make up enough of it."""
    found = [word for word in few if any(_is_related(word, other) for other in many)]
    significant = [word for word in found if word not in _FILLERS]
    if not significant or any(word not in _FILLERS for word in few if word not in found):
        return False
    letters = sum(map(len, found))
    return letters >= _PART * sum(map(len, many)) and (letters > _FEW or significant == [many[0]])


def _is_related(word: str, other: str) -> bool:
    """Return whether two words share a stem or nearly agree, or ``word`` is a prefix of ``other``."""
    if word[0] != other[0]:  # a quick test first, because there may be thousands of names
        return False
    if len(word) <= _FEW:
        return word == other
    has_same_stem = len(word) >= _STEM and word[:_STEM] == other[:_STEM]
    return has_same_stem or other.startswith(word) or _is_near(word, other, 1)


def _is_near(one: str, other: str, most: int | None = None) -> bool:
    """Return whether at most a few letters are wrong, missing, extra, or swapped with a neighbour."""
    shorter = min(len(one), len(other))
    allowed = max(1, shorter // _LETTERS) if most is None else most
    if abs(len(one) - len(other)) > allowed or shorter < _FEW or len(one) == len(other) == _FEW:
        return one == other
    if len({*one} ^ {*other}) > 2 * allowed:  # a quick test: a change affects at most two different letters
        return False
    return _changes(one, other) <= allowed


def _changes(one: str, other: str) -> int:
    """Return the number of edits between two words; a swap of two neighbouring letters is one edit."""
    older: list[int] = []
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != wanted)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                row[j] = min(row[j], older[j - 2] + 1)
        older, above = above, row
    return above[-1]
