"""Any sequence of commands on work orders leads where facts 5.1 says, and touches no other order."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from tests.sandbox.company import Caller, calling
from tests.sandbox.order_model import AP_STATES, COST_STATES, PATHS, Order, reduced
from tests.sandbox.test_states import MOVES, REASONS, WAYS
from tests.support.laws import examples
from wosdk_async.sandbox import open_store

START = 1_715_692_351_000_000_000
STEP = 10_000_000  # 10 ms: a token outlives an example

employees = st.lists(st.sampled_from([208, 215, 230]), max_size=3, unique=True)
flags = st.lists(st.sampled_from([1901, 1902, 1903]), max_size=3, unique=True)


class Orders(RuleBasedStateMachine):
    """Orders of the local service beside orders of the model."""

    orders = Bundle("orders")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.clock = START
        self.open = ExitStack()
        store = open_store(str(Path(self.folder) / "sandbox.db"))
        self.open.callback(store.close)
        self.acme: Caller = self.open.enter_context(calling(store, lambda: self.clock))
        self.known: list[Order] = []

    def teardown(self) -> None:
        self.open.close()
        shutil.rmtree(self.folder)

    def now(self) -> str:
        seconds, rest = divmod(self.clock, 10**9)
        whole = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{whole}.{rest // 100:07d}Z" if rest else f"{whole}Z"

    def run(self, name: str, order: Order, model: Callable[[str], bool], **members: Any) -> None:
        """Run a command on both; they must agree on whether it is accepted."""
        self.clock += STEP
        sent = {"Command": {"WorkOrderId": order.id} | members}
        status = self.acme.send("POST", f"cmd/{name}", sent).status_code
        assert (status == 200) == model(self.now()), (name, members)

    @rule(target=orders, state=st.sampled_from(sorted(WAYS)))
    def create(self, state: str) -> Order:
        self.clock += STEP
        order = Order(self.acme.order()["Id"], self.now())
        self.known.append(order)
        for name in WAYS[state]:
            self.move(order, name, REASONS.get(name, 0))
        return order

    @rule(order=orders, name=st.sampled_from(sorted(MOVES)), reason=st.sampled_from([2201, 1841]))
    def move(self, order: Order, name: str, reason: int) -> None:
        given = reason if name in ("OnHold", "Cancel") else 0
        self.run(f"Wo{name}Command", order, lambda now: order.move(name, given, now), ActionReasonId=given)

    @rule(order=orders, name=st.sampled_from(sorted(MOVES)), behind=st.booleans())
    def move_an_order_that_changed(self, order: Order, name: str, behind: bool) -> None:
        wrong = {"ConcurrencyId": order.version + 1} if behind else {"StatusId": _other(order.state)}
        self.run(f"Wo{name}Command", order, lambda _: False, **wrong)

    @rule(
        order=orders,
        mode=st.sampled_from(["Primary", "AddSecondary", "RemoveSecondary", "Snapshot"]),
        keys=employees,
    )
    def assign(self, order: Order, mode: str, keys: list[int]) -> None:
        self.run("WoAssignCommand", order, lambda n: order.assign(mode, keys, n), Assignees=keys, Mode=mode)

    @rule(order=orders, keys=flags)
    def set_flags(self, order: Order, keys: list[int]) -> None:
        self.run("WoSetFlagsCommand", order, lambda now: order.set_flags(keys, now), FlagsToSet=keys)

    @rule(order=orders, keys=flags)
    def clear_flags(self, order: Order, keys: list[int]) -> None:
        self.run("WoClearFlagsCommand", order, lambda now: order.clear_flags(keys, now), FlagsToClear=keys)

    @rule(order=orders)
    def hand_over(self, order: Order) -> None:
        keys = [230]
        self.run("WoAssignCommand", order, lambda now: order.assign("Primary", keys, now), Assignees=keys)
        self.run("SendWorkOrder", order, order.send)

    @rule(order=orders)
    def recall(self, order: Order) -> None:
        self.run("WoRecallCommand", order, order.recall)

    @rule(order=orders)
    def message(self, order: Order) -> None:
        self.run("WoMessageCommand", order, order.message, Comment="hello")

    @rule(order=orders, rating=st.sampled_from(["Positive", "Negative"]))
    def verify(self, order: Order, rating: str) -> None:
        self.run("VerifyWorkCommand", order, lambda now: order.verify(rating, now), WoRatingId=rating)

    @rule(order=orders, status=st.sampled_from(sorted(AP_STATES)))
    def set_ap(self, order: Order, status: int) -> None:
        name, members = "ApStatusChangeCommand", {"VendorInvoiceStatusId": status}
        self.run(name, order, lambda _: order.set_ap(status), **members)

    @rule(order=orders, status=st.sampled_from(sorted(COST_STATES)))
    def set_cost(self, order: Order, status: int) -> None:
        self.run("CostStatusChangeCommand", order, lambda _: order.set_cost(status), CostStatusId=status)

    @rule(order=orders)
    def pay(self, order: Order) -> None:
        self.run("ApSubmitPaymentCommand", order, lambda _: order.set_ap(3))

    @invariant()
    def both_show_the_same(self) -> None:
        for order in self.known:
            assert reduced(self.acme.get("WorkOrder", order.id, PATHS)) == order.shown()


def _other(state: str) -> str:
    return "Open" if state != "Open" else "New"


TestOrders = Orders.TestCase
TestOrders.settings = settings(examples(12), stateful_step_count=25)
