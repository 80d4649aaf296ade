"""One seed: a job, its faults, and the check of its promises at the end."""

from __future__ import annotations

from tests.simulation.workers.coordinator import DONE, REFUSED, Journal, SimulatedCoordinator
from tests.simulation.workers.world import Plan, SimulatedWorker, World

_LONGEST = 3000.0  # virtual seconds
_MAX_RUNS = 40


def violations(seed: int) -> list[str]:
    return Scenario(seed).run()


class Scenario:
    """Job of a seed, run until it is complete."""

    def __init__(self, seed: int) -> None:
        self.world = World(Plan.of(seed))
        self._journal = Journal(self.world)
        self._workers: list[SimulatedWorker] = []
        self._coordinator: SimulatedCoordinator | None = None
        self._runs = 0

    def run(self) -> list[str]:
        world = self.world
        for at, kind in world.plan.faults:
            world.at(at, self._fault, kind)
        self._begin()
        world.run(self._is_complete, _LONGEST)
        self._late_commits()
        self._compare()
        return world.found

    def _is_complete(self) -> bool:
        return all(state in (DONE, REFUSED) for state in self._journal.states.values())

    def _begin(self) -> None:
        self._runs += 1
        if self._runs > _MAX_RUNS:
            self.world.broken("not-finished", f"after {_MAX_RUNS} runs")
            return
        self._coordinator = SimulatedCoordinator(self.world, self._journal, self._ended)
        for place in range(self.world.plan.workers):
            self._add_worker(place)
        self.world.at(0.5, self._watch, self._coordinator)

    def _ended(self) -> None:
        rng = self.world.rng
        for worker in self._workers:  # processes end with their coordinator, actors of a cluster continue
            if rng.random() < 0.5:
                worker.kill()
        self._workers = []
        if not self._is_complete():
            self.world.at(rng.uniform(0.1, 5.0), self._begin)

    def _add_worker(self, place: int) -> None:
        worker = SimulatedWorker(self.world, place)
        self._workers.append(worker)
        assert self._coordinator is not None
        self._coordinator.connect(worker)

    def _watch(self, coordinator: SimulatedCoordinator) -> None:
        """Replace workers that died, like the worker pool."""
        if coordinator is not self._coordinator or not coordinator.alive:
            return
        for worker in [each for each in self._workers if not each.alive]:
            self._workers.remove(worker)
            coordinator.lose(worker)
            self._add_worker(worker.place)
        self.world.at(0.5, self._watch, coordinator)

    def _fault(self, kind: str) -> None:
        world, coordinator = self.world, self._coordinator
        if coordinator is None or not coordinator.alive or not self._workers:
            return
        worker, lease = world.rng.choice(self._workers), world.plan.options.lease
        match kind:
            case "kill":
                worker.kill()
            case "all":
                for each in self._workers:
                    each.kill()
            case "stall":
                worker.stall(world.rng.uniform(0.2, 3 * lease))
            case "cut":
                coordinator.cut(world.rng.uniform(0.5, 3 * lease))
            case "replace":  # the engine recreates the object, and the old one continues
                other = SimulatedWorker(world, worker.place)
                self._workers[self._workers.index(worker)] = other
                coordinator.replace(worker, other)
            case "coordinator" if world.rng.random() < 0.3:
                coordinator.stall(world.rng.uniform(0.2, 2 * lease))
            case "coordinator":
                coordinator.kill()
            case "stop":
                coordinator.stop()

    def _late_commits(self) -> None:
        """Let everything that was sent take effect, and stalled workers wake."""
        world = self.world
        if self._coordinator is not None:
            self._coordinator.alive = False
        ends = world.now + 5 * world.plan.options.lease
        world.at(ends - world.now, lambda: None)
        world.run(lambda: world.now >= ends, ends)

    def _compare(self) -> None:
        world = self.world
        if not self._is_complete() and "not-finished" not in world.found:
            world.broken("not-finished", "rows are left")
        for row, state in self._journal.states.items():
            if state == DONE and world.records[row] != 1:
                world.broken("lost", f"row {row} is done and has {world.records[row]} records")
            if state == REFUSED and world.records[row]:
                world.broken("unexpected", f"row {row} is refused and has a record")
