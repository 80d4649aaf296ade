"""MCP server: one Company for AI agents, read-only by default.

    server.py           stdio server: tools, resources and instructions
    strict_server.py    refusal of unknown arguments; responses to unreadable lines
    read_tools.py       tools that read work orders and other records
    catalogue_tools.py  the catalogue as a tool and resources
    plan_tools.py       plan, commit and settle; only with ``--allow-writes``
    plan_rules.py       rules for plans: names, marker, refusals, and the complete preview
    preparing.py        conversion of a plan's fields to a command or record
    commits.py          sending a plan once, and settling it
    plan_journal.py     plans on disk
    rows.py             filters, rows and page cursors
    results.py          bounded and escaped results; errors as results

Requires the extra ``mcp``. User documentation: ``docs/mcp.md``.
"""
