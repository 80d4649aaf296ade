"""What the loss of a worker means for the shares of the others."""

import pytest

from tests.jobs.cluster.fake_ledger import Ledger, Sessions
from tests.jobs.cluster.world import OPTIONS, World
from wosdk_async.jobs.cluster.budget import Budget
from wosdk_async.jobs.cluster.granting import Granting
from wosdk_async.jobs.cluster.messages import Report
from wosdk_async.jobs.cluster.sessions import SessionPusher
from wosdk_async.jobs.cluster.worker_group import WorkerGroup


def group_of(*nonces):
    """Return workers that share 12 calls, each with a report that keeps to its share."""
    failures = []
    group = WorkerGroup(
        Granting(Ledger(World()), OPTIONS, job_run=1),
        Budget(None, 12, most=50, now=0.0),
        SessionPusher(Sessions(), failures.append),
        looked_up=True,
        now=lambda: 0.0,
        failed=failures.append,
        on_event=lambda _: None,
    )
    workers = [group.enter(nonce, nonce) for nonce in nonces]
    for worker in workers * 3:
        share = group.budget.share(worker.nonce).number
        group.receive(worker, Report(worker=worker.nonce, clock=0.0, share=share))
    return group, workers


@pytest.mark.parametrize(("ended", "calls"), [(True, 12), (False, 6)])
def test_only_a_worker_whose_process_has_ended_leaves_its_share_at_once(ended, calls):
    """Any other one may still send, until a look at the clock finds it without a lease."""
    group, (lost, _) = group_of("a", "b")

    group.lose(lost, "a", "killed", ended=ended)

    assert group.budget.share("b").in_flight == calls
    group.look_at_the_clock()
    assert group.budget.share("b").in_flight == 12
