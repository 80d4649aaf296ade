"""Text of the generated modules: classes, index and stub of ``wosdk_async.model``."""
