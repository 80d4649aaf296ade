"""MCP server: what AI agents may ask of a Company, and change if they are allowed to.

    server.py           the server: its tools, resources and instructions, over stdin and stdout
    strict_server.py    arguments that a tool does not have are refused; unreadable lines get a response
    read_tools.py       tools that read work orders, and records of any entity
    catalogue_tools.py  what the catalogue knows, as a tool and as resources
    plan_tools.py       plan, commit, settle: only with ``--allow-writes``
    plan_rules.py       what a plan may be: its names, its marker, what is refused, the whole view of it
    preparing.py        the fields of a plan as a command or record
    commits.py          what is sent for a plan, once
    plan_journal.py     plans on the disk
    rows.py             conditions of an agent, rows, and the cursor behind them
    results.py          results as JSON Schema describes them, with bounded and escaped values; errors

It needs the extra ``mcp``. ``docs/mcp.md`` is the page for users.
"""
