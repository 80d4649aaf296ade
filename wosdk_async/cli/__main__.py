"""``python -m wosdk_async.cli`` runs ``wosdk``, for example if the console script is not on the path."""

from wosdk_async.cli import main

main()
