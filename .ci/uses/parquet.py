"""Rows of a Parquet file."""

import pyarrow
import pyarrow.parquet

from wosdk_async.jobs import open_source

pyarrow.parquet.write_table(pyarrow.table({"key": ["7", "8"]}), "rows.parquet")
assert [row.cells["key"] for row in open_source("rows.parquet")] == ["7", "8"]
