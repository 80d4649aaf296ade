"""``python -m wosdk_async.cli``: the ``wosdk`` command where the console script is not on the path."""

from wosdk_async.cli import main

main()
