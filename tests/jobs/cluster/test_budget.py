"""Shares of rate and concurrency: never more than the total, whatever is lost on the way."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wosdk_async.jobs.cluster.allocator import Budget


def settle(budget, workers):
    """Let all workers confirm until nothing changes any more."""
    for _ in range(4):
        for worker in workers:
            if worker in budget.workers():
                budget.confirm(worker, budget.share(worker).number)


class Shares(RuleBasedStateMachine):
    """Workers that come, go, and learn of their shares late; each uses the most that it may."""

    @initialize(rate=st.none() | st.floats(0.01, 5000), in_flight=st.integers(1, 50))
    def begin(self, rate, in_flight):
        self.rate, self.in_flight = rate, in_flight
        self.budget = Budget(rate, in_flight)
        self.sent = {}  # worker -> shares that it may use: all that were sent since the confirmed one
        self.present = set()
        self.names = 0

    @rule()
    def join(self):
        self.names += 1
        self.budget.add(str(self.names))
        self.sent[str(self.names)] = []
        self.present.add(str(self.names))

    @precondition(lambda self: self.present)
    @rule(data=st.data())
    def confirm(self, data):
        worker = data.draw(st.sampled_from(sorted(self.present)))
        shares = self.sent[worker]
        chosen = data.draw(st.sampled_from(shares))
        self.sent[worker] = [share for share in shares if share.number >= chosen.number]
        self.budget.confirm(worker, chosen.number)

    @precondition(lambda self: self.present)
    @rule(data=st.data())
    def lose(self, data):
        worker = data.draw(st.sampled_from(sorted(self.present)))
        self.present.discard(worker)
        self.budget.lose(worker)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def surely_gone(self, data):
        worker = data.draw(st.sampled_from(sorted(self.sent)))
        self.present.discard(worker)
        del self.sent[worker]
        self.budget.remove(worker)

    @invariant()
    def all_together_never_use_more(self):
        for worker in self.present:
            share = self.budget.share(worker)
            if share not in self.sent[worker]:
                self.sent[worker].append(share)
        held = [shares for shares in self.sent.values() if shares]
        assert sum(max(share.in_flight for share in shares) for shares in held) <= self.in_flight
        if self.rate is not None:
            assert sum(max(share.rate for share in shares) for shares in held) <= self.rate * (1 + 1e-6)

    @invariant()
    def a_share_is_whole(self):
        for worker in self.present:
            share = self.budget.share(worker)
            assert 0 <= share.in_flight <= self.in_flight
            assert (share.rate is None) == (self.rate is None)
            if self.rate is not None:
                assert (share.rate > 0) == (share.in_flight > 0)

    def teardown(self):
        """Let everything be known: all calls are shared out equally."""
        for worker in list(self.sent.keys() - self.present):
            self.budget.remove(worker)
        settle(self.budget, self.present)
        if self.present:
            shares = [self.budget.share(worker).in_flight for worker in self.present]
            assert max(shares) - min(shares) <= 1
            assert sum(shares) == self.in_flight


TestShares = Shares.TestCase


def test_a_newcomer_gets_its_part_although_a_lost_worker_still_holds_some():
    budget = Budget(None, 12)
    for worker in "ab":
        budget.add(worker)
        settle(budget, "ab")

    budget.lose("b")
    budget.add("c")
    settle(budget, "ac")

    assert [budget.share(worker).in_flight for worker in "ac"] == [3, 3]
