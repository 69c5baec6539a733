"""Notebooks: the cells are one program, everything that is no Python stays, and so does every other byte of the file."""

from __future__ import annotations

import io
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import devlint
from devlint.cli import main
from devlint.config.finder import ConfigFinder
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.syntax.notebooks.cells import open_notebook
from devlint.syntax.notebooks.magics import is_python_cell, magics
from devlint.syntax.notebooks.notebook_file import Notebook
from devlint.syntax.notebooks.notebook_source import Masks

DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
METADATA = {"kernelspec": {"language": "python", "name": "python3"}}
Source = str | list[str]


def cell(source: Source, **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": source, **more}


def text_cell(source: Source) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(*cells: Source | dict[str, Any], metadata: Any = METADATA, **more: Any) -> dict[str, Any]:
    made = [one if isinstance(one, dict) else cell(one) for one in cells]
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5, **more}


def data(*cells: Source | dict[str, Any], **more: Any) -> bytes:
    return (json.dumps(notebook(*cells, **more), indent=1, ensure_ascii=False) + "\n").encode()


def report(content: bytes, mode: Mode = Mode.CHECK, **options: Any) -> FileReport:
    return Runner(ConfigFinder(options, isolated=True), mode).text("nb.ipynb", content)


def found(content: bytes, **options: Any) -> list[str]:
    return [f"{one.location} {one.code}" for one in report(content, **options).diagnostics]


def fixed(content: bytes, **options: Any) -> bytes:
    done = report(content, Mode.DIFF, **options)
    assert not done.failures
    return done.source.to_bytes(done.after_text) if done.source else content


def sources(content: bytes) -> list[str]:
    return ["".join(one["source"]) for one in json.loads(content)["cells"]]


def fixed_cells(*cells: Source | dict[str, Any], **options: Any) -> list[str]:
    after = fixed(data(*cells), **options)
    assert fixed(after, **options) == after, "fixed again, it changes again"
    return sources(after)


def test_the_cells_are_one_program() -> None:
    cells = [
        "import torch",
        text_cell("# Training\nx.cuda()"),
        "def f(x):\n    return x.cuda()",
        "y = f(torch.rand(2))",
    ]
    assert fixed_cells(*cells) == [
        f"import torch\n\n{DEVICE}",
        "# Training\nx.cuda()",
        "def f(x):\n    return x.to(device)",
        "y = f(torch.rand(2))",
    ]


def test_a_device_of_one_cell_serves_the_next() -> None:
    cells = [
        "import torch\n",
        "use_cuda = torch.cuda.is_available()",
        "x = torch.rand(2)\nif use_cuda:\n    x = x.cuda()\nx",
    ]
    assert fixed_cells(*cells) == [
        "import torch\n",
        'use_cuda = torch.cuda.is_available()\ndevice = torch.device("cuda" if use_cuda else "cpu")',
        "x = torch.rand(2)\nx = x.to(device)\nx",
    ]
    cells = ["import torch", "%matplotlib inline\nimport pylab", "torch.rand(2).cuda()"]
    assert fixed_cells(*cells) == [f"import torch\n\n{DEVICE}", cells[1], "torch.rand(2).to(device)"]
    cells = ["import numpy", "def f():\n    pass", "from torch import nn", "nn.Linear(2, 3).cuda()"]
    assert fixed_cells(*cells)[:3] == [*cells[:2], f"import torch\nfrom torch import nn\n\n{DEVICE}"]
    own = ["import torch", 'dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")', "torch.rand(2).cuda()"]
    assert fixed_cells(*own)[1:] == [own[1], "torch.rand(2).to(dev)"]


def test_the_device_stands_where_torch_is_certainly_imported() -> None:
    optional = "try:\n    import google.colab, torch\nexcept ImportError:\n    pass"
    cells = [optional, "import torch", "torch.rand(2).cuda()"]
    assert fixed_cells(*cells) == [optional, f"import torch\n\n{DEVICE}", "torch.rand(2).to(device)"]
    certain = optional.replace("    pass", "    import torch")
    cells = [certain, "import torch", "torch.rand(2).cuda()"]
    assert fixed_cells(*cells) == [f"{certain}\n\n{DEVICE}", "import torch", "torch.rand(2).to(device)"]


def test_the_import_of_the_project_stands_above_what_needs_it_and_not_above_commands() -> None:
    options = {"target": "project", "device": "d()", "device-import": "from t import d", "unsafe-fixes": True}
    cells = ["pip install torch", "import torch\n\ntorch.rand(2).cuda()", "import os"]
    expected = [cells[0], "import torch\nfrom t import d\n\ntorch.rand(2).to(d())", cells[2]]
    assert fixed_cells(*cells, **options) == expected


def test_a_notebook_is_a_program_even_if_it_only_defines() -> None:
    cells = ["import torch", "class N(torch.nn.Module):\n    def reset(self):\n        self.h = torch.zeros(2).cuda()"]
    assert fixed_cells(*cells)[0] == f"import torch\n\n{DEVICE}"


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_the_end_of_a_cell_stays_as_it_is(ending: str) -> None:
    first, last = fixed_cells("import torch" + ending, "torch.rand(2).cuda()" + ending)
    assert last == "torch.rand(2).to(device)" + ending
    assert first.startswith(f"import torch\n\n{DEVICE}")
    assert first[len(first.rstrip("\n")) :] == ending


MASKED = [
    "!pip install torch",
    "!ls \\\n  -l \\\n  x.cuda()",
    "%matplotlib inline",
    "%time x.cuda()",
    "%timeit torch.rand(2).cuda()",
    "?x.cuda",
    "x.cuda?",
    "x??",
    "files = !ls *.cuda()",
    "a, b = %time x.cuda()",
    "%env CUDA_LAUNCH_BLOCKING=1",
]


@pytest.mark.parametrize("line", MASKED)
@pytest.mark.parametrize(
    "form", ["{}\nx = x.cuda()", "x = x.cuda()\n{}", "if x is not None:\n    {}\n    x = x.cuda()"]
)
def test_commands_stay_where_they_are(line: str, form: str) -> None:
    text = form.format(line)
    before = text[: text.index("x = x.cuda")].split("\n")
    place = f"{len(before)}:{len(before[-1]) + len('x = x.') + 1}"
    assert found(data("import torch\nx = torch.rand(2)", text)) == [f"cell 2:{place} DEV101"]
    first, second = fixed_cells("import torch\nx = torch.rand(2)", text)
    assert second == text.replace("x = x.cuda()", "x = x.to(device)")
    assert DEVICE in first


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%timeit -n 1", "\n%%time"])
def test_a_magic_above_python_leaves_it_python(magic: str) -> None:
    text = f"{magic}\nx = torch.rand(2).cuda()"
    row = text.count("\n") + 1
    assert found(data("import torch", text)) == [f"cell 2:{row}:19 DEV101"]
    assert fixed_cells("import torch", text)[1] == f"{magic}\nx = torch.rand(2).to(device)"


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile a.py", "%%unheard_of", "%%javascript"])
def test_cells_of_another_language_are_left_alone(magic: str) -> None:
    text = f"{magic}\nimport torch\nx = torch.rand(2).cuda() ) ("
    assert found(data("import torch", text)) == []
    other = cell("x = torch.rand(2).cuda()", metadata={"vscode": {"languageId": "julia"}})
    assert found(data("import torch", other)) == []


@pytest.mark.parametrize("first", ["%%time", "#| export", "#export", "#@title Setup", "#| label: a\n#| echo: false"])
def test_nothing_goes_above_the_first_line_of_a_cell_that_must_be_it(first: str) -> None:
    cells = fixed_cells(f"{first}\nfrom torchvision.models import resnet18", "model = resnet18().cuda()")
    assert cells[0].startswith(first + "\n")
    assert "cuda" in cells[0] or "cuda" in cells[1]


def test_python_that_looks_like_a_command_is_python() -> None:
    text = 'x = ("a"\n% 2)\ny = """\n!ls\n%time\nwhat?\n"""\nz = 5 \\\n% 3  # why?\nassert x != y, "why?"'
    assert magics(text) == []
    assert not is_python_cell("pip install torch")
    assert is_python_cell("pip = 3")


def test_what_only_a_command_uses_stays() -> None:
    alias = "Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor"
    assert fixed_cells(f"import torch\n{alias}", "x = Tensor(3)")[0] == f"import torch\n\n{DEVICE}"
    for use in ("%time Tensor(3)", "!echo {Tensor}", "print Tensor(3)", "%%unheard_of\nTensor"):
        assert alias in fixed_cells(f"import torch\n{alias}", use)[0]


def test_no_gpu_is_asked_for_before_a_command_chooses_them() -> None:
    cells = fixed_cells("import torch", "%env CUDA_VISIBLE_DEVICES=1", "x = torch.rand(2).cuda()")
    assert cells[0] == "import torch"
    assert cells[1].startswith("%env CUDA_VISIBLE_DEVICES=1\n")


@pytest.mark.parametrize(
    "bad", ["print 'x'.cuda()", "x = ", "def f(:\n    y.cuda()", "a\0", "\ud800", "x = 1 \\", "'''"]
)
def test_a_cell_no_parser_takes_is_skipped_alone(bad: str) -> None:
    cells = ["import torch", bad, "x = torch.ones(1).cuda()"]
    content = (json.dumps(notebook(*cells)) + "\n").encode()
    assert [re.sub(r":\d+:\d+", "", one) for one in found(content)] == ["cell 2 DEV001", "cell 3 DEV101"]
    after = fixed(content)
    assert sources(after) == [f"import torch\n\n{DEVICE}", bad, "x = torch.ones(1).to(device)"]
    assert found(after) == [one for one in found(content) if "DEV001" in one]


def test_a_complaint_about_a_cell_can_be_suppressed() -> None:
    assert found(data("x = # noqa: DEV001", "# cuda")) == []
    assert found(data("# devlint: ignore-file[DEV001] exercises", "x = ", "# cuda")) == []
    assert found(data("x = ", "# cuda"), ignore=["DEV001"]) == []


def test_a_pasted_cell_with_indentation_runs_in_ipython() -> None:
    assert found(data("import torch  # cuda", "    x = 1\n    y = 2")) == []


def test_an_old_keyword_is_renamed_in_a_notebook_too() -> None:
    cells = ["import torch", "x = torch.rand(2).cuda(async=True)"]
    assert fixed_cells(*cells)[1] == "x = torch.rand(2).to(device, non_blocking=True)"


def test_suppressions_hold_in_their_cell_or_everywhere() -> None:
    use = "x = torch.rand(2).cuda()"
    assert found(data("import torch", f"{use}  # noqa: DEV101 why", use)) == ["cell 3:1:19 DEV101"]
    assert found(data("import torch", use, "# devlint: ignore-file[DEV1] why")) == []
    assert found(data("import torch", "y = 1  # devlint: ignore[DEV101] why")) == ["cell 2:1:8 DEV002"]
    assert fixed_cells("import torch", "y = 1  # devlint: ignore[DEV101] why", "!ls  # noqa: DEV101")[1:] == [
        "y = 1",
        "!ls  # noqa: DEV101",
    ]


def test_newlines_of_a_cell_stay() -> None:
    cells = fixed_cells("import torch\r\nimport os\r\n", "x = torch.rand(2).cuda()\r\n!ls\r\ny = x")
    assert cells == [f"import torch\r\nimport os\r\n\r\n{DEVICE}\r\n", "x = torch.rand(2).to(device)\r\n!ls\r\ny = x"]


PROGRAM = [
    "import torch\nname = 'é€𝄞\\t/'\n",
    "%%time\nx = torch.rand(2).cuda()  # ü 𝄞",
    "!ls é",
    "print(x)",
    "y = x.cuda()",
]


@st.composite
def written(draw: Any) -> str:
    """A notebook in one of the many forms that tools give to JSON."""
    cells = []
    for source in PROGRAM:
        lines: Source = source.splitlines(keepends=True) if draw(st.booleans()) else source
        one = cell(
            lines, outputs=draw(st.sampled_from([[], [{"text": "é \\u00e9 x.cuda()"}], [{"data": {"source": "x"}}]]))
        )
        keys = draw(st.permutations(sorted(one)))
        cells.append({key: one[key] for key in keys})
        if draw(st.booleans()):
            cells.append(text_cell("x.cuda() é"))
    whole = notebook(*cells)
    whole = {key: whole[key] for key in draw(st.permutations(sorted(whole)))}
    separators = draw(st.sampled_from([None, (",", ":"), (", ", ": "), (" ,\t", " : ")]))
    text = json.dumps(
        whole,
        indent=draw(st.sampled_from([None, 0, 1, 4, "\t"])),
        separators=separators,
        ensure_ascii=draw(st.booleans()),
    )
    text = text.replace("/", draw(st.sampled_from(["/", "\\/"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", "\r\n  "]))


def around(book: Notebook) -> list[str]:
    """The text of the file between the sources of its code cells."""
    ends = [0, *(one.span.end for one in book.cells)]
    starts = [*(one.span.start for one in book.cells), len(book.raw)]
    return [book.raw[end:start] for end, start in zip(ends, starts)]


@pytest.mark.slow
@given(written())
@settings(max_examples=60, deadline=None)
def test_only_the_sources_of_reported_cells_change(text: str) -> None:
    before = report(text.encode())
    assert before.source is not None
    fixes = [one.fix for one in before.diagnostics if one.fix is not None]
    reported = {before.source.place(edit.span.start).cell for fix in fixes for edit in fix.edits}
    after = fixed(text.encode()).decode()
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    text, after = text.lstrip("\ufeff"), after.lstrip("\ufeff")
    old, new = Notebook.parse(text), Notebook.parse(after)
    assert around(old) == around(new)
    for one, two in zip(old.cells, new.cells):
        raw, raw_after = (book.raw[c.span.start : c.span.end] for book, c in ((old, one), (new, two)))
        assert (raw != raw_after) == (one.source != two.source) == (one.number in reported)
        assert raw[0] == raw_after[0]
    assert after.isascii() == text.isascii()


def test_lines_that_stay_are_written_as_they_were() -> None:
    lines = [
        '"import torch\\n"',
        "\"a = '\\u00e9 \\/'\\n\"",
        "\"b = 'é /'\\n\"",
        '"x = torch.rand(2).cuda() # \\u00e9 \\/"',
    ]
    text = '{"cells": [{"cell_type":"code","source" :[\n' + ",\n  ".join(lines) + ']}],\n "metadata":{}}'
    after = fixed(text.encode()).decode()
    assert after.replace("cuda()", "").count("\\u00e9 \\/") == 2
    assert lines[1] + ",\n  " + lines[2] + ",\n  " in after
    assert after.startswith('{"cells": [{"cell_type":"code","source" :[\n"import torch\\n",\n  "\\n",\n  "device = ')
    assert after.endswith('"x = torch.rand(2).to(device) # \\u00e9 \\/"]}],\n "metadata":{}}')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "1:1 DEV001 is no notebook: Expecting value"),
        (b'{"cells": [\n  {"cuda": }]}', "2:12 DEV001 is no notebook: Expecting value"),
        (b'{"cells": [] "cuda": 1}', "1:14 DEV001 is no notebook: Expecting ','"),
        (b'{"cells": [], cuda: 1}', "1:15 DEV001 is no notebook: Expecting property name"),
        (b'{"cells": []} cuda', "1:15 DEV001 is no notebook: Extra data"),
        (b'{"cells": [', "1:12 DEV001 is no notebook: Expecting value"),
        (b"[1, 2]", "1:1 DEV001 is no notebook: its JSON is no object"),
        (b'{"a": 1}', "1:1 DEV001 is no notebook: it has no list of cells"),
        (b'{"cells": "cuda"}', "1:1 DEV001 is no notebook: it has no list of cells"),
        (b'{"worksheets": [{"cells": []}], "nbformat": 3}', "1:1 DEV001 is a notebook of format 3: convert it"),
        (b'{"cells": ["\xff"]}', "1:1 DEV001 is no notebook: it cannot be decoded as utf-8: byte 0xff"),
        (b'{"cells": ' + b"[" * 100_000, "1:1 DEV001 is no notebook: its JSON is nested too deeply"),
    ],
)
def test_what_is_no_notebook_is_one_line(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.ipynb"
    path.write_bytes(content)
    (tmp_path / "good.py").write_text("import torch\n\nx = torch.rand(2).cuda()\n")
    runner = Runner(ConfigFinder(isolated=True), Mode.FIX)
    bad, good = runner.run([str(path), str(tmp_path / "good.py")])
    (one,) = bad.diagnostics
    assert f"{one.location} {one.code} {one.message}".startswith(message)
    assert not bad.failures
    assert path.read_bytes() == content
    assert good.changed


@pytest.mark.parametrize(
    "metadata",
    [{"language_info": {"name": "R"}}, {"kernelspec": {"language": "julia"}}, {"language_info": {"name": "swift"}}],
)
def test_notebooks_of_other_languages_are_left_alone(metadata: Any) -> None:
    content = data("import torch\nx = torch.rand(2).cuda()", "what is this", metadata=metadata)
    assert report(content) == FileReport("nb.ipynb")
    assert fixed(content) == content


@pytest.mark.parametrize("metadata", [{}, None, [], {"kernelspec": 3}, {"language_info": {"name": "ipython"}}])
def test_a_notebook_that_does_not_say_is_python(metadata: Any) -> None:
    assert found(data("import torch", "x = torch.rand(2).cuda()", metadata=metadata)) == ["cell 2:1:19 DEV101"]


@pytest.mark.parametrize(
    "cells", [[], [""], ["", "\n"], [[]], [text_cell("cuda")], [{"cell_type": "code"}], [{"source": 3}]]
)
def test_notebooks_with_nothing_in_them(cells: list[Any]) -> None:
    content = data(*cells, cuda=1)
    assert found(content) == []
    assert fixed(content) == content


@pytest.mark.slow
def test_a_cell_of_ten_megabytes_is_skipped_alone() -> None:
    big = "table = [\n" + ("    (0.123456, 'a name', 17)," * 1_000 + "\n") * 330 + "]\n"
    content = data("import torch", big, "x = torch.rand(2).cuda()")
    one, two = report(content).diagnostics
    assert (str(one.location), one.code, one.message[:20]) == ("cell 2:1:1", "DEV001", "this cell is larger ")
    assert str(two.location) == "cell 3:1:19"
    assert sources(fixed(content))[1:] == [big, "x = torch.rand(2).to(device)"]


def test_a_folder_is_searched_and_words_in_bytes_decide(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b"{ broken, but nothing to see")
    (tmp_path / "b.ipynb").write_bytes(b"{ broken: cuda")
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / ".ipynb_checkpoints/c.ipynb").write_bytes(b"{ broken: cuda")
    reports = list(Runner(ConfigFinder(isolated=True)).run([str(tmp_path)]))
    assert [(Path(one.path).name, len(one.diagnostics)) for one in reports] == [("a.ipynb", 0), ("b.ipynb", 1)]
    (named,) = Runner(ConfigFinder(isolated=True)).run([str(tmp_path / "a.ipynb")])
    assert len(named.diagnostics) == 1


Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Any) -> Command:
    """Runs devlint beside a notebook."""
    monkeypatch.chdir(tmp_path)
    Path("nb.ipynb").write_bytes(
        data(text_cell("# hi"), "%matplotlib inline\nimport torch", "!ls\nx = torch.rand(2).cuda()")
    )

    def call(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main([*arguments, "--isolated"])
        return int(left.value.code or 0), capsysbinary.readouterr().out.decode()

    return call


def test_findings_are_shown_in_their_cell(command: Command) -> None:
    code, out = command("check")
    assert code == 1
    assert out.startswith(
        "nb.ipynb:cell 3:2:19: DEV101 [*] `.cuda()` needs CUDA on every machine\n"
        "  |\n2 | x = torch.rand(2).cuda()\n  |                   ^^^^^^\n"
    )
    assert command("check", "--output-format", "concise")[1].startswith("nb.ipynb:cell 3:2:19: DEV101 [*] ")
    assert "cell 3:2:19  DEV101" in command("check", "--output-format", "grouped")[1]


def test_json_has_the_cell(command: Command) -> None:
    (one,) = json.loads(command("check", "--output-format", "json")[1])
    assert (one["cell"], one["location"]) == (3, {"row": 2, "column": 19})
    assert [edit["cell"] for edit in one["fix"]["edits"]] == [2, 3, 3]


def test_formats_without_cells_get_the_row_of_the_file(command: Command) -> None:
    text = Path("nb.ipynb").read_text()
    row = text[: text.index("torch.rand")].count("\n") + 1
    out = command("check", "--output-format", "github")[1]
    assert f"line={row}," in out
    assert "cell 3:2:19: `.cuda()`" in out
    Path("nb.ipynb").write_bytes(data("import torch\n", ["x = 1\n", "y = torch.rand(2).cuda()"]))
    text = Path("nb.ipynb").read_text()
    row = text[: text.index('"y = torch')].count("\n") + 1
    assert f"nb.ipynb:{row}: " in command("check", "--output-format", "pylint")[1]


def test_diffs_are_those_of_the_cells(command: Command) -> None:
    before = Path("nb.ipynb").read_bytes()
    assert command("fix", "--diff") == (
        1,
        "--- nb.ipynb:cell 2\t\n+++ nb.ipynb:cell 2\t\n@@ -1,2 +1,4 @@\n %matplotlib inline\n import torch\n+\n"
        f"+{DEVICE}\n"
        "--- nb.ipynb:cell 3\t\n+++ nb.ipynb:cell 3\t\n@@ -1,2 +1,2 @@\n !ls\n-x = torch.rand(2).cuda()\n+x = torch.rand(2).to(device)\n",
    )
    assert Path("nb.ipynb").read_bytes() == before


def test_fix_writes_the_file_and_standard_input_is_passed_on(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path("nb.ipynb").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(before)))
    _, passed_on = command("fix", "-", "--stdin-filename", "nb.ipynb")
    assert passed_on.encode() == fixed(before) != before
    command("fix", "nb.ipynb")
    assert Path("nb.ipynb").read_bytes() == fixed(before)


def test_a_notebook_that_changes_meanwhile_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from devlint.engine import analyze

    path = tmp_path / "nb.ipynb"
    path.write_bytes(data("import torch", "torch.rand(2).cuda()"))
    original = analyze.analyze

    def slow(*arguments: Any) -> Any:
        path.write_bytes(b"{}")
        return original(*arguments)

    monkeypatch.setattr(analyze, "analyze", slow)
    (done,) = Runner(ConfigFinder(isolated=True), Mode.FIX).run([str(path)])
    assert "changed while devlint was working on it" in done.failures[0].message
    assert path.read_bytes() == b"{}"


def test_the_library_gives_back_the_file(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_bytes(data("import torch", "torch.rand(2).cuda()"))
    assert devlint.fix(path).text.encode() == fixed(path.read_bytes())
    assert devlint.fix(path.read_text(), filename="nb.ipynb", isolated=True).text.encode() == fixed(path.read_bytes())
    (one,) = devlint.check(path).diagnostics
    assert str(one.location) == "cell 2:1:15"


def test_the_way_back_refuses_to_lose_anything() -> None:
    source = open_notebook("nb.ipynb", data("import torch", "!ls\nx"))
    assert source is not None
    for lost in (source.text.replace("#!cell-0 2\n", ""), source.text.replace("  #cell-0=0", "")):
        with pytest.raises(Exception, match="would be lost"):
            source.to_bytes(lost)


def test_a_mark_is_a_word_the_notebook_does_not_hold() -> None:
    assert (
        fixed_cells("import torch  # cell-0 #!cell-1 2", "x = torch.rand(2).cuda()")[1]
        == "x = torch.rand(2).to(device)"
    )


COMMANDS = [
    ("%env CUDA_VISIBLE_DEVICE=0", "1:6"),
    ("%env CUDA_VISIBLE_DEVICE 0", "1:6"),
    ("x = 1\n%set_env CUDA_VISIBLE_DEVICE=0\ny = 2", "2:10"),
    ("!CUDA_VISIBLE_DEVICE=0 python x.py", "1:2"),
    ("if True:\n    !CUDA_VISIBLE_DEVICE=0 python x.py", "2:6"),
    ("!A=1 \\\n  CUDA_VISIBLE_DEVICE=0 \\\n python x.py\ny = 2", "2:3"),
    ("out = !CUDA_VISIBLE_DEVICE=0 python x.py", "1:8"),
    ("%%bash\ncd x\nexport CUDA_VISIBLE_DEVICE=0\npython x.py\n", "3:8"),
    ("%%bash\r\nexport CUDA_VISIBLE_DEVICE=0\r\n", "2:8"),
    ("%%writefile run.sh\nCUDA_VISIBLE_DEVICE=0 python x.py", "2:1"),
    ("%%time\n!CUDA_VISIBLE_DEVICE=0 python x.py", "2:2"),
    ("import os\nos.environ['CUDA_VISIBLE_DEVICE'] = '0'", "2:13"),
]


@pytest.mark.parametrize(("source", "place"), COMMANDS)
def test_misspelled_variables_in_commands(source: str, place: str) -> None:
    content = data("import torch\n", text_cell("CUDA_VISIBLE_DEVICE=0"), source, "y = 1  # ä")
    (one,) = report(content, select=["DEV301"]).diagnostics
    assert str(one.location) == f"cell 3:{place}"
    assert one.end_location.column == one.location.column + len("CUDA_VISIBLE_DEVICE")
    after = source.replace("VISIBLE_DEVICE", "VISIBLE_DEVICES")
    assert fixed(content) == data("import torch\n", text_cell("CUDA_VISIBLE_DEVICE=0"), after, "y = 1  # ä")
    assert found(fixed(content)) == []


def test_several_misspelled_variables_in_a_command() -> None:
    commands = "!NCCL_P2P_DISABLED=1 CUDA_VISIABLE_DEVICES=0,1 python x.py\n%env CUDA_VISABLE_DEVICES 1\n"
    content = data("import torch", commands + "x = y.cuda()")
    assert found(content, select=["DEV301"]) == ["cell 2:1:2 DEV301", "cell 2:1:22 DEV301", "cell 2:2:6 DEV301"]
    (_, after) = json.loads(fixed(content))["cells"]
    assert after["source"].startswith(
        "!NCCL_P2P_DISABLE=1 CUDA_VISIBLE_DEVICES=0,1 python x.py\n%env CUDA_VISIBLE_DEVICES 1\n"
    )
    assert after["source"].endswith("x = y.to(device)")


@pytest.mark.parametrize(
    "source",
    [
        "!CUDA_VISIBLE_DEVICE=0 python x.py  # noqa: DEV301",
        "%%bash\n# devlint: ignore[DEV301]\nCUDA_VISIBLE_DEVICE=0 python x.py",
        "# devlint: ignore-file[DEV301]\n!CUDA_VISIBLE_DEVICE=0 python x.py",
        "!python x.py --CUDA_VISIBLE_DEVICE=0",
    ],
)
def test_commands_without_findings(source: str) -> None:
    content = data("import torch", source)
    assert found(content, select=["DEV301"]) == []
    assert fixed(content, select=["DEV301"]) == content


def test_a_long_line_is_searched_once_for_masked_commands() -> None:
    """From each of its characters on it took five minutes for 80,000 of them."""
    rows = Masks(mark="mask").rows
    text = "a" * 200_000 + "\npass #mask=0 NAME\n"
    start = time.process_time()
    assert [one.span() for one in rows.finditer(text)] == [(200_001, len(text) - 1)]
    assert time.process_time() - start < 5
