"""MCP server: what AI agents may ask of a Company, and change if they are allowed to.

    server.py           the server: its tools, resources and instructions
    serving.py          one Company over stdin and stdout
    order_tools.py      tools for work orders
    record_tools.py     tools for any entity
    catalogue_tools.py  what the catalogue knows, as a tool and as resources
    plan_tools.py       plan, commit, settle: only with ``--allow-writes``
    planned_names.py    names of a plan, brought to the service's own
    planned_marker.py   the plan's id as a marker
    refused_plans.py    what no agent may plan
    preparing.py        the fields of a plan as a command or record
    planned_view.py     what commit would send, all of it
    commits.py          what is sent for a plan, once
    look_up.py          the tool call that shows the effect of a plan in doubt
    plan_journal.py     plans on the disk
    private_files.py    files that nobody else can read
    write_gate.py       the hook that lets nothing pass but a dry run and a commit
    pages.py            rows, and the cursor behind them
    filters.py          conditions of an agent
    results.py          results as JSON Schema describes them; errors
    untrusted.py        values of the Company, bounded and escaped
    strict_server.py    arguments that a tool does not have are refused
    unreadable_requests.py  lines that are no messages get a response

It needs the extra ``mcp``. ``docs/mcp.md`` is the page for users.
"""
