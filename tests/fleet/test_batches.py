"""A batch of files in, a batch of findings out: the same everywhere, whatever the files hold."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from devlint.core.errors import ConfigError
from devlint.fleet import (
    CHECKED_SCHEMA,
    SCHEMA_VERSION,
    BatchError,
    FleetOptions,
    check_batch,
    check_batches,
    fix_batch,
)
from tests.fleet.repositories import CUDA, DEEP, EXPORTS, FIXED, IMPORTS, REPOSITORIES, UNDECODABLE, UNPARSABLE, batch

DEFAULT = FleetOptions()


def only(files: Any, options: FleetOptions = DEFAULT, **types: pa.DataType) -> dict[str, Any]:
    """The row of the one file of a batch."""
    (row,) = check_batch(batch(files, **types), options).to_pylist()
    return row


def without_times(result: pa.RecordBatch) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in result.to_pylist()]


def test_a_finding_has_its_place_and_its_edits() -> None:
    row = only({("alpha", "train.py"): CUDA})
    assert (row["repo"], row["path"], row["bytes"], row["parsed"]) == ("alpha", "train.py", len(CUDA), True)
    assert row["error"] is None
    assert row["fixed_content"] is None
    assert row["seconds"] > 0
    (finding,) = row["findings"]
    edits = finding.pop("edits")
    assert finding == {
        "code": "DEV101",
        "name": "cuda-method",
        "row": 3,
        "column": 20,
        "end_row": 3,
        "end_column": 26,
        "cell": None,
        "message": "`.cuda()` needs CUDA on every machine",
        "applicability": "safe",
        "fix_message": "Replace `.cuda()` by `.to(device)`",
    }
    assert {"row": 3, "column": 20, "end_row": 3, "end_column": 24, "content": "to"} in edits


def test_a_row_for_each_file_in_order_and_the_schema_says_its_version() -> None:
    result = check_batch(batch(REPOSITORIES))
    assert result.schema.equals(CHECKED_SCHEMA, check_metadata=True)
    assert result.schema.metadata[b"devlint.schema-version"] == str(SCHEMA_VERSION).encode()
    assert [(row["repo"], row["path"]) for row in result.to_pylist()] == list(REPOSITORIES)


def test_fixed_content_is_what_fix_writes() -> None:
    files = {("a", "train.py"): CUDA, ("a", "clean.py"): b"import os\n", ("a", "bom.py"): b"\xef\xbb\xbf" + CUDA}
    result = fix_batch(batch(files)).to_pylist()
    assert [row["fixed_content"] for row in result] == [FIXED, None, b"\xef\xbb\xbf" + FIXED]
    assert [len(row["findings"]) for row in result] == [1, 0, 1]


BAD = [
    (None, "a.py", CUDA),
    ("a", None, CUDA),
    ("a", "", CUDA),
    ("a", "null.py", None),
    ("a", "deep.py", DEEP),
    ("a", "odd.py", UNDECODABLE),
    ("a", "old.py", UNPARSABLE),
    ("a", "zero\0.py", CUDA),
    ("a", "/etc/hosts.py", CUDA),
    ("a", "../../up.py", CUDA),
    ("a", "x.ipynb", b"{ no json cuda()"),
    ("a", "large.py", b"import torch\n" + b"x.cuda()\n" * 300_000),
    ("a", "empty.py", b""),
    ("a", "last.py", CUDA),
]


@pytest.mark.parametrize("together", [False, True])
def test_one_bad_file_fails_no_batch(together: bool) -> None:
    result = fix_batch(batch(BAD), FleetOptions(whole_repositories=together)).to_pylist()
    assert len(result) == len(BAD)
    errors = {row["path"]: row["error"] for row in result}
    assert errors[None] == errors[""] == "the path is missing"
    assert errors["null.py"] == "the content is missing"
    assert "nested" in errors["deep.py"]
    assert "cannot be decoded" in errors["odd.py"]
    assert "is larger than" in errors["large.py"]
    assert [row["parsed"] for row in result if row["path"] in ("deep.py", "odd.py", "old.py")] == [False] * 3
    for path in ("a.py", "/etc/hosts.py", "../../up.py", "last.py"):
        (row,) = (row for row in result if row["path"] == path)
        assert (row["error"], row["fixed_content"]) == (None, FIXED)


def test_a_small_limit_leaves_files_alone() -> None:
    row = only({("a", "a.py"): CUDA}, FleetOptions(max_bytes=10))
    assert row["error"] == "is larger than 10 bytes, left alone"
    assert row["findings"] == []


def test_a_name_that_is_no_text_is_an_error() -> None:
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff.py"], pa.binary()).buffers())
    columns = [pa.array(["a"]), broken, pa.array([CUDA])]
    (row,) = check_batch(pa.RecordBatch.from_arrays(columns, names=["repo", "path", "content"])).to_pylist()
    assert (row["path"], row["error"]) == ("\\xff.py", "the path is no UTF-8")


def test_an_empty_batch_and_a_table() -> None:
    empty = check_batch(batch({}))
    assert empty.num_rows == 0
    assert empty.schema == CHECKED_SCHEMA
    table = check_batch(pa.Table.from_batches([batch(REPOSITORIES), batch(REPOSITORIES)]))
    assert isinstance(table, pa.Table)
    assert table.num_rows == 2 * len(REPOSITORIES)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.large_binary(), pa.binary_view(), pa.binary()],
    ids=str,
)
def test_content_in_any_type(kind: pa.DataType) -> None:
    text = CUDA.decode() if "string" in str(kind) else CUDA
    assert [one["code"] for one in only({("a", "a.py"): text}, content=kind)["findings"]] == ["DEV101"]
    names = pa.dictionary(pa.int32(), pa.string())
    assert only({("a", "a.py"): text}, repo=names, path=pa.large_string(), content=kind)["repo"] == "a"


def test_text_is_utf_8_whatever_it_declares() -> None:
    text = "# coding: latin-1\nimport torch\nx = 'é', torch.zeros(2).cuda()\n"
    (row,) = fix_batch(batch({("a", "a.py"): text}, content=pa.string())).to_pylist()
    assert "'é'" in row["fixed_content"].decode("utf-8")


def test_batches_that_are_none_are_refused() -> None:
    with pytest.raises(BatchError, match="no column 'content'"):
        check_batch(pa.RecordBatch.from_pydict({"repo": ["a"], "path": ["a.py"]}))
    with pytest.raises(BatchError, match="'content' is of the type int64"):
        check_batch(batch({("a", "a.py"): 3}, content=pa.int64()))
    with pytest.raises(ConfigError, match="DEV999"):
        check_batch(batch(REPOSITORIES), FleetOptions(select=("DEV999",)))


def test_options_hold() -> None:
    assert only({("a", "a.py"): CUDA}, FleetOptions(ignore=("DEV1",)))["findings"] == []
    options = FleetOptions(target="project", device="dev()", device_import="from here import dev")
    (row,) = fix_batch(batch({("a", "a.py"): CUDA}), options).to_pylist()
    assert b"from here import dev" in row["fixed_content"]
    assert FleetOptions.from_json(options.as_json()) == options


def test_functions_and_options_can_be_pickled() -> None:
    function = pickle.loads(pickle.dumps(partial(fix_batch, options=FleetOptions(ignore=("DEV2",)))))
    assert without_times(function(batch(REPOSITORIES))) == without_times(fix_batch(batch(REPOSITORIES)))


def test_a_row_depends_on_nothing_but_its_file() -> None:
    whole = without_times(fix_batch(batch(REPOSITORIES)))
    alone = [without_times(fix_batch(batch({name: content})))[0] for name, content in REPOSITORIES.items()]
    assert whole == alone
    (streamed,) = check_batches([batch(REPOSITORIES)], fixing=True)
    assert without_times(streamed) == whole


def test_files_of_a_repository_know_of_one_another_if_the_batch_has_them_all() -> None:
    options = FleetOptions(whole_repositories=True)
    files = {("a", "shared.py"): EXPORTS, ("b", "other.py"): b"", ("a", "main.py"): IMPORTS}
    together = fix_batch(batch(files), options).to_pylist()[2]
    assert b"torch.ones(shared.SIZE).to(shared.device)" in together["fixed_content"]
    apart = fix_batch(batch({**files, ("a", "shared.py"): b""}), options).to_pylist()[2]
    assert b"is_available" in apart["fixed_content"]


def test_the_disk_of_the_worker_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies where the worker runs, or at the path of a row, changes nothing."""
    expected = without_times(fix_batch(batch({("a", "main.py"): IMPORTS})))
    (tmp_path / "shared.py").write_bytes(EXPORTS)
    (tmp_path / "devlint.toml").write_text('ignore = ["DEV1"]\n')
    monkeypatch.chdir(tmp_path)
    assert without_times(fix_batch(batch({("a", "main.py"): IMPORTS}))) == expected
    path = str(tmp_path / "main.py")
    found = without_times(fix_batch(batch({("a", path): IMPORTS})))
    assert [{**row, "path": "main.py"} for row in found] == expected

    def refuse(*arguments: object, **_: object) -> None:
        raise AssertionError(f"the disk was asked: {arguments}")

    for power in ("os.path.exists", "os.scandir", "os.stat", "builtins.open"):
        monkeypatch.setattr(power, refuse)
    try:
        found = without_times(fix_batch(batch({("a", "main.py"): IMPORTS}), FleetOptions(whole_repositories=True)))
    finally:
        monkeypatch.undo()
    assert found[0]["error"] is None
    assert found == expected
