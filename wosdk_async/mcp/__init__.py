"""MCP server: one Company for AI agents, read-only by default.

    server.py           the server over stdin and stdout: tools, resources and instructions
    strict_server.py    refusal of unknown arguments; responses to unreadable lines
    read_tools.py       tools that read work orders, and records of any entity
    catalogue_tools.py  the catalogue as a tool and as resources
    plan_tools.py       plan, commit, settle: only with ``--allow-writes``
    plan_rules.py       rules of a plan: names, marker, refusals, and the whole view of it
    preparing.py        the fields of a plan as a command or record
    commits.py          sending a plan once, and settling it
    plan_journal.py     plans on the disk
    rows.py             filters, rows, and the cursor of the next ones
    results.py          results with bounded and escaped values; errors as results

It needs the extra ``mcp``. ``docs/mcp.md`` is the page for users.
"""
