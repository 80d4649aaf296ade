"""Simulation of client and service in one process, with virtual time and a network in memory.

    python -m tests.simulation.client --seeds 20000   # run so many seeds; stop at the first that fails
    python -m tests.simulation.client --seed 4711     # replay one and print its events
    python -m tests.simulation.client --reverts       # put fixed faults back: is each found?

See docs/simulation.md. From the bottom up:

    wire.py              one connection in memory: delays, pieces, cuts, resets
    tls_wire.py          the same, with the TLS of the service
    network.py           sockets, names and hosts in memory
    loop.py              event loop with virtual time, whose callbacks run in an order that the seed decides
    plan.py              plan of a seed, as data: steps of the program, reactions of the service
    generate.py          random plan of a seed
    messages.py          requests and responses as the service sees them
    backend.py           small model of the service, written from the specification
    sandbox.py           the project's own sandbox as the backend
    faulty_responses.py  responses that the faults of a plan make
    service.py           HTTP/1.1 in front of a backend, with the faults of the plan
    hosts.py             hosts of the service, and what happens to them
    outcomes.py          calls of a plan and their outcomes
    bulk_step.py         step that is one run_many
    program.py           program that uses the client
    windows.py           wrong outcomes that are documented
    checks.py            checks after a run
    runs.py              run of one plan, from its start to its violations
    shrink.py            search for a smaller plan that fails in the same way
    reverts/             faults that were fixed and can be put back
"""
