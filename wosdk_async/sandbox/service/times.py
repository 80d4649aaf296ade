"""Times as the store keeps them: ISO 8601 text without a zone, with no or seven fraction digits.

One instant has one text, and texts sort like instants, so the store compares them as text.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo

import attrs

__all__ = ["Now", "canonical", "to_local", "to_utc", "zone_of"]

# facts 3.5: work orders name their zone by a number; 4, 20 and 35 fit the Windows index of time
# zones. The other rows of that index are assumed to hold as well.
_ZONES = {
    2: "Pacific/Honolulu",
    3: "America/Anchorage",
    4: "America/Los_Angeles",
    10: "America/Denver",
    15: "America/Phoenix",
    20: "America/Chicago",
    35: "America/New_York",
    50: "America/Halifax",
    85: "Europe/London",
    110: "Europe/Berlin",
}

_STAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_TICKS = 10_000_000  # a tick is 100 ns, the seventh fraction digit


@cache
def zone_of(number: int) -> tzinfo:
    """The zone behind a ``TimeZone`` number; UTC for a number outside the table (not shown; assumed)."""
    name = _ZONES.get(number)
    return ZoneInfo(name) if name else UTC


@attrs.frozen
class Now:
    """One instant, in 100 ns ticks since 1970: all times of one call come from the same one."""

    ticks: int

    @property
    def utc(self) -> str:
        return self.local(UTC)

    def local(self, zone: tzinfo) -> str:
        seconds, fraction = divmod(self.ticks, _TICKS)
        whole = _clock_face(seconds, zone)
        return f"{whole}.{fraction:07d}" if fraction else whole

    def later(self, minutes: int) -> Now:
        """``minutes`` from now, without a fraction (facts 3.5) or seconds (not shown; assumed)."""
        whole = self.ticks // _TICKS // 60 + minutes
        return Now(whole * 60 * _TICKS)


@lru_cache(maxsize=64)
def _clock_face(seconds: int, zone: tzinfo) -> str:
    """Every write of one second shows the same few texts."""
    return _text(datetime.fromtimestamp(seconds, zone), 0)


def canonical(text: str, *, utc: bool) -> str | None:
    """The stored form of a time as sent, or None when it is none.

    An offset moves a UTC field; a local field keeps its clock face (not shown; assumed).
    """
    match = _STAMP.fullmatch(text.strip())
    if match is None:
        return None
    day, clock, second, fraction, offset = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00'}:{second or '00'}")
        if utc and offset and offset != "Z":
            moment -= _offset(offset)
    except (ValueError, OverflowError):
        return None
    return _text(moment, int((fraction or "0")[:7].ljust(7, "0")))


def to_utc(local: str, zone: tzinfo) -> str | None:
    """The UTC twin of a stored local time, or None where the calendar ends."""
    try:
        moment = datetime.fromisoformat(local[:19]).replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:
        return None
    return moment.replace(tzinfo=None).isoformat() + local[19:]


def to_local(utc: str, zone: tzinfo) -> str | None:
    """The local twin of a stored UTC time, or None where the calendar ends."""
    try:
        moment = datetime.fromisoformat(utc[:19]).replace(tzinfo=UTC).astimezone(zone)
    except OverflowError:
        return None
    return moment.replace(tzinfo=None).isoformat() + utc[19:]


def _offset(text: str) -> timedelta:
    sign = -1 if text[0] == "-" else 1
    return sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))


def _text(moment: datetime, ticks: int) -> str:
    whole = moment.replace(tzinfo=None, microsecond=0).isoformat()
    return f"{whole}.{ticks:07d}" if ticks else whole
