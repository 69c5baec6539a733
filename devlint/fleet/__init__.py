"""Audits of many repositories on the engines that people have: Arrow batches, and runs that can be resumed.

=================  ================================================================================================
``batches``        a batch of files in, a batch of findings out: for any engine that has Arrow
``schemas``        the columns of all tables
``inputs``         folders of repositories, Parquet, git without a checkout; and how they are divided into partitions
``partitions``     one partition: checks its files, writes its tables in one step
``engines``        who does the partitions: processes, Ray, Spark
``audit``          a run over all partitions: begins or resumes, counts, reports errors
=================  ================================================================================================
"""

from __future__ import annotations

from devlint.fleet.batches import BatchError, check_batch, check_batches, fix_batch
from devlint.fleet.options import FleetOptions
from devlint.fleet.schemas import (
    CHECKED_SCHEMA,
    FILES_SCHEMA,
    FINDINGS_SCHEMA,
    INPUT_COLUMNS,
    SCHEMA_VERSION,
    TIMINGS_SCHEMA,
)

__all__ = [
    "CHECKED_SCHEMA",
    "FILES_SCHEMA",
    "FINDINGS_SCHEMA",
    "INPUT_COLUMNS",
    "SCHEMA_VERSION",
    "TIMINGS_SCHEMA",
    "BatchError",
    "FleetOptions",
    "check_batch",
    "check_batches",
    "fix_batch",
]
