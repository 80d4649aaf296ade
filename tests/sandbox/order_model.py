"""A model of a work order by facts 5.1, in plain Python: the local service is compared with it."""

from __future__ import annotations

from typing import Any

import attrs

from tests.sandbox.test_states import LOGGED, MOVES

AP_STATES = {1: "None", 2: "Received", 3: "Paid", 4: "Waiting", 7: "Disputed"}
COST_STATES = {1: "Pending", 2: "Submitted", 3: "Approved"}
CONNECTED = 230


@attrs.define
class Order:
    """State that one order must show; every method returns whether the service must accept the command."""

    id: int
    now: str
    state: str = "New"
    version: int = 1
    primary: int = 0
    others: set[int] = attrs.field(factory=set)
    flags: list[int] = attrs.field(factory=list)
    sent: bool = False
    ratings: list[str] = attrs.field(factory=list)
    log: list[tuple[str, int]] = attrs.field(factory=lambda: [("Create", 0)])
    ap: int = 1
    cost: int = 1
    cost_version: int = 1

    def move(self, name: str, reason: int, now: str) -> bool:
        target, sources = MOVES[name]
        wanted = {"OnHold": 2201, "Cancel": 1841}.get(name, reason)
        if self.state not in sources.split() or reason != wanted:
            return False
        self.state = target
        return self._acted(LOGGED.get(name, name), now, reason)

    def assign(self, mode: str, employees: list[int], now: str) -> bool:
        if self.state in ("Completed", "Cancelled") or (mode == "Primary" and len(employees) > 1):
            return False
        before = (self.primary, set(self.others))
        if mode == "Snapshot":
            self.primary, self.others = (employees or [0])[0], set(employees[1:])
        elif mode == "Primary":
            self.primary = (employees or [0])[0]
            self.others.discard(self.primary)
        elif mode == "AddSecondary":
            self.others |= set(employees) - {self.primary}
        else:
            self.others -= set(employees)
        return self._acted("Assign", now) if (self.primary, self.others) != before else True

    def set_flags(self, flags: list[int], now: str) -> bool:
        added = [flag for flag in flags if flag not in self.flags]
        self.flags += added
        return self._acted("Attention", now) if added else True

    def clear_flags(self, flags: list[int], now: str) -> bool:
        kept = [flag for flag in self.flags if flag not in flags]
        changed = kept != self.flags
        self.flags = kept
        return self._acted("FlagCleared", now) if changed else True

    def send(self, now: str) -> bool:
        if self.primary != CONNECTED or self.sent or self.state in ("Cancelled", "Completed"):
            return False
        self.sent = True
        return self._acted("WonWoSend", now)

    def recall(self, now: str) -> bool:
        if not self.message(now, "WonWoRecall"):
            return False
        self.sent = False
        return True

    def message(self, now: str, kind: str = "Message") -> bool:
        return self.sent and self.primary == CONNECTED and self._acted(kind, now)

    def verify(self, rating: str, now: str) -> bool:
        if self.state != "Completed":
            return False
        self.ratings.append(rating)
        return self._acted("Verified", now)

    def set_ap(self, status: int) -> bool:
        return self._charged("APInvStatus", self.ap != status, ap=status)

    def set_cost(self, status: int) -> bool:
        return self._charged("CostStatus", self.cost != status, cost=status)

    def shown(self) -> dict[str, Any]:
        """Return what a read of the order must show, as `reduced` gives it."""
        return {
            "state": self.state,
            "version": self.version,
            "acted": self.now,
            "primary": self.primary,
            "assigned": sorted(self.others | ({self.primary} - {0})),
            "flag": self.flags[-1] if self.flags else 0,
            "open": {"Id": self.flags[-1]} if self.flags else None,
            "flags": self.flags,
            "sent": self.sent,
            "ratings": self.ratings,
            "log": self.log,
            "cost": (self.ap, AP_STATES[self.ap], self.cost, COST_STATES[self.cost], self.cost_version),
        }

    def _acted(self, kind: str, now: str, reason: int = 0) -> bool:
        self.version += 1
        self.now = now
        self.log.append((kind, reason))
        return True

    def _charged(self, kind: str, changed: bool, **statuses: int) -> bool:
        """Count a change of the cost record for itself; the order's counter and times stay (facts 3.7)."""
        if changed:
            self.cost_version += 1
            self.log.append((kind, 0))
        for name, status in statuses.items():
            setattr(self, name, status)
        return True


PATHS = "*,Assignments.*,Flags.*,Verifications.*,ActionLogRecords.*,WorkOrderCost.*"


def reduced(read: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a read that the model knows."""
    cost = read["WorkOrderCost"]
    names = ("ApStatusId", "ApStateId", "CostStatusId", "CostState", "ConcurrencyId")
    return {
        "state": read["StatusId"],
        "version": read["ConcurrencyId"],
        "acted": read["LastActionDateUtc"],
        "primary": read.get("Employee", {}).get("Id", 0),
        "assigned": sorted(record["EmployeeId"] for record in read["Assignments"]),
        "flag": read["FlagId"],
        "open": read.get("Flag"),
        "flags": [record["FlagId"] for record in read["Flags"]],
        "sent": read["WonId"] > 0,
        "ratings": [record["WoRatingId"] for record in read["Verifications"]],
        "log": [(record["TypeId"], record["ActionReasonId"]) for record in read["ActionLogRecords"]],
        "cost": tuple(cost[name] for name in names),
    }
