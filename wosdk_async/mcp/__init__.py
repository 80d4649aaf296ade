"""MCP server: what AI agents may ask of a Company, and change if they are allowed to.

    server.py           the server: its tools, resources and instructions
    serving.py          one Company over stdin and stdout
    order_tools.py      tools for work orders
    record_tools.py     tools for any entity
    catalogue_tools.py  what the catalogue knows, as a tool and as resources
    plan_tools.py       plan, commit, settle: only with ``--allow-writes``
    preparing.py        the fields of a plan as a command or record
    commits.py          what is sent for a plan, once
    plan_journal.py     plans on the disk
    write_gate.py       the hook that lets nothing pass but a dry run and a commit
    pages.py            rows, and the cursor behind them
    filters.py          conditions of an agent
    results.py          results as JSON Schema describes them; errors
    untrusted.py        values of the Company, bounded and escaped

It needs the extra ``mcp``. ``docs/mcp.md`` is the page for users.
"""
