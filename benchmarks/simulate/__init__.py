"""Client and service in one process, on time that does not pass and a network that does not exist.

    python -m benchmarks.simulate --seeds 20000   # so many; stops at the first that fails
    python -m benchmarks.simulate --seed 4711     # replay one and show what happens
    python -m benchmarks.simulate --reverts       # put fixed faults back: is each found?

See docs/simulation.md. From the bottom up:

    loop.py      an event loop with virtual time, whose ready callbacks run in an order that the seed gives
    network.py   sockets, names and connections in memory: delays, splits, cuts, resets, surplus bytes
    plan.py      what a seed stands for, as data: what the program does, and what the service does to it
    drawing.py   the plan of a seed, drawn at random
    service.py   the service: HTTP/1.1 in front of a backend, with the faults of the plan between them
    backend.py   a small model of the service, written from the specification
    sandbox.py   the project's own sandbox as the backend
    program.py   what the program does with the client, and what it is told
    checks.py    what has to be true then
    runs.py      one plan from its start to its violations
    shrink.py    a smaller plan that fails in the same way
    reverts.py   faults that were fixed, put back
"""
