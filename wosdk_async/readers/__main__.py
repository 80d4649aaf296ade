"""Process that reads a file: ``python -m wosdk_async.readers ORDER``."""

from wosdk_async.readers.program import main

main()
