"""Orders with a connected provider: sending, its failure, messages and recall (spec 4.6, 7; facts 5.1)."""

from __future__ import annotations

import pytest

from tests.sandbox.company import Caller
from tests.sandbox.test_actions import logged, message

ONLY_SENT = "Sorry, this command can be used only for Work Order sent to a connected Service Pro"
ONLY_RECALL = "Sorry, this command can be used only to recall a Work Order sent to a connected Service Pro"
CONNECTED, UNREACHABLE = 230, 231


@pytest.mark.parametrize("employee", [0, 208, CONNECTED])
def test_only_for_orders_that_were_sent(acme: Caller, employee: int) -> None:
    """facts 5.1: recall and message have texts of their own for an order that no provider has.

    What to do stands behind them; an order that nobody could be sent to says what it lacks.
    """
    order = acme.order({"EmployeeId": employee})["Id"]
    remedy = f". Work order {order} has not been sent: run SendWorkOrderCommand first."
    assert message(acme, "WoRecallCommand", WorkOrderId=order) == ONLY_RECALL + remedy
    assert message(acme, "WoMessageCommand", WorkOrderId=order) == ONLY_SENT + remedy
    if employee != CONNECTED:
        assert "no connected Service Pro" in message(acme, "SendWorkOrder", WorkOrderId=order)
    assert logged(acme, order) == ["Create"]


def test_the_recorded_texts(recorded: Caller) -> None:
    """facts 6: as recorded, letter for letter."""
    order = recorded.order()["Id"]
    assert message(recorded, "WoRecallCommand", WorkOrderId=order) == ONLY_RECALL
    assert message(recorded, "WoMessageCommand", WorkOrderId=order) == ONLY_SENT


def test_the_network_of_a_provider_is_down(acme: Caller) -> None:
    """spec 7: the text names requestor, target location, action and service; nothing is left behind."""
    order = acme.order({"EmployeeId": UNREACHABLE})["Id"]
    text = message(acme, "SendWorkOrder", WorkOrderId=order)
    for part in ("requestor 46", "target location 660215", "action RequestorSend", "service https://"):
        assert part in text
    read = acme.get("WorkOrder", order)
    assert (read["WonId"], read["ConcurrencyId"], logged(acme, order)) == (0, 1, ["Create"])


def test_a_suspended_provider_gets_nothing(acme: Caller) -> None:
    """facts 5: a provider is suspended and reactivated by its id; meanwhile sending is refused."""
    order = acme.order({"EmployeeId": CONNECTED})["Id"]
    name = "UserOrProviderSuspendCommand"
    assert acme.run(name, Id=CONNECTED) == {"EmployeeId": CONNECTED}
    assert "no connected Service Pro" in message(acme, "SendWorkOrder", WorkOrderId=order)
    assert "Suspended" in message(acme, name, Id=CONNECTED)
    acme.run(name, Id=CONNECTED, Reactivate=True)
    acme.run("SendWorkOrder", WorkOrderId=order)
    assert name in message(acme, name, Id=208)
