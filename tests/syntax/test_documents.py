"""Python in Markdown, reStructuredText and docstrings: found, fixed, and nothing else of the file touched."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.config.finder import ConfigFinder
from devlint.engine.documents import Document, DocumentAnalysis
from devlint.engine.finding_filter import FindingFilter
from devlint.engine.report import FileReport, Mode
from devlint.engine.request import Request
from devlint.engine.runner import Runner
from devlint.syntax.documents import code_blocks as blocks_module
from devlint.syntax.documents.code_blocks import DOCSTRING, MARKDOWN, RST, Markup, code_blocks
from tests.support.paths import ROOT

DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
ON = {"document-code": True, "docstring-code": True}


def found(name: str, text: str, **options: object) -> list[str]:
    """The findings, each as its code and place."""
    report = Runner(ConfigFinder({**ON, **options}, isolated=True)).text(name, text.encode())
    assert report.failures == ()
    return [f"{one.code} {one.location}" for one in report.diagnostics]


def fixing(name: str, data: bytes, **options: object) -> FileReport:
    return Runner(ConfigFinder({**ON, **options}, isolated=True), Mode.DIFF).text(name, data)


def fixed(name: str, text: str, **options: object) -> str:
    """The file after a fix that a second one leaves alone, without its failures."""
    report = fixing(name, text.encode(), **options)
    assert report.failures == ()
    assert report.source is not None
    data = report.source.to_bytes(report.after_text)
    assert not fixing(name, data, **options).changed
    return data.decode()


def rows(text: str, markup: Markup) -> list[list[str]]:
    """The text of the rows of each block, with their prompts; all of them are where they say."""
    blocks = list(code_blocks(text, markup))
    for block in blocks:
        for row in block:
            assert text.startswith(row.text, row.start)
            assert text.startswith(row.before.rstrip(), row.line) or not row.text
    return [[f"{row.prompt} {row.text}".strip() for row in block] for block in blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```python\na\nb\n```\n", [["a", "b"]]),
        ("```py\na\n```\n\n~~~python3\nb\n~~~\n", [["a"], ["b"]]),
        ('```python title="x.py" linenums\na\n```\n', [["a"]]),
        ("```{code-cell} ipython3\n:tags: [hide]\n\na\n```\n", [["", "a"]]),
        ("```{code-cell} python\n---\ntags: x\n---\na\n```\n", [["a"]]),
        ("```{code-block} python\na\n```\n", [["a"]]),
        ("``` python\na\n````\n", [["a"]]),
        ("```{.python .numberLines}\na\n```\n", [["a"]]),
        ("```PYTHON\na\n```\n", [["a"]]),
        ("```\na\n```\n```bash\na\n```\n```pyramid\na\n```\n```{note}\na\n```\n", []),
        ("````markdown\n```python\na\n```\n````\n", []),
        ("- x\n\n  ```python\n  a\n    b\n\n  c\n  ```\n", [["a", "b", "", "c"]]),
        ("> ```python\n> a\n>\n> b\n> ```\n", [["a", "", "b"]]),
        ("```python\na\n", []),
        ("```python\n\n```\n", []),
        ("a ```python\na\n```\n", []),
        ("```pycon\n>>> a\n1\n>>> b(\n... c)\n```\n", [[">>> a", ">>> b(", "... c)"]]),
        ("```python\nprose\n>>> a\n\n... b\n```\n", [[">>> a"]]),
        (">>> a\n", []),
    ],
)
def test_blocks_of_markdown(text: str, expected: list[list[str]]) -> None:
    assert rows(text, MARKDOWN) == [[row.strip() for row in block] for block in expected]
    assert rows(text.replace("\n", "\r\n"), MARKDOWN) == [[row.strip() for row in block] for block in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".. code-block:: python\n   :linenos:\n\n   a\n\n   b\n\nc\n", [["", "a", "", "b", ""]]),
        ("x\n  .. code:: py\n\n     a\n  b\n", [["", "a"]]),
        (".. code-block:: bash\n\n   a\n", []),
        ("Title\n~~~~~\n\n>>> a\n1\n\nb\n", [[">>> a"]]),
        (".. doctest::\n\n   >>> a\n   1\n", [[">>> a"]]),
    ],
)
def test_blocks_of_rst(text: str, expected: list[list[str]]) -> None:
    assert rows(text, RST) == expected


def test_blocks_of_a_docstring() -> None:
    text = "Does.\n\n    >>> a\n    1\n\n    Or::\n\n        b\n\n    ```py\n    c\n    ```\n    .. code:: python\n\n      d\n"
    assert rows(text, DOCSTRING) == [[">>> a"], ["c"], ["", "d"]]


README = """\
# A model

- Make it:

  ```python title="make"
  import torch
  from torch import nn
  ```

  and move it:

  ~~~py
  model = nn.Linear(2, 2).cuda()
  ~~~

- This is no program: model.cuda()

  ```python
  model.cuda(
  ```
"""


def test_the_blocks_of_a_document_are_a_program() -> None:
    assert found("a.md", README) == ["DEV101 13:27"]
    assert fixed("a.md", README) == README.replace(
        "  from torch import nn\n", f"  from torch import nn\n\n  {DEVICE}\n"
    ).replace("nn.Linear(2, 2).cuda()", "nn.Linear(2, 2).to(device)")


def test_nothing_is_looked_at_unasked() -> None:
    off = {"document-code": False, "docstring-code": False}
    assert found("a.md", README, **off) == []
    assert found("a.py", 'import torch\n\n"""\n>>> torch.ones(2).cuda()\n"""\n', **off) == []
    assert found("a.txt", README) != []  # a named file of another name is Python


def test_a_block_that_imports_torch_stands_for_itself() -> None:
    block = "```py\nimport torch\n\nx = torch.nn.Linear(1, 1).cuda()\n```\n"
    text = fixed("a.md", block + "\ntext\n\n" + block)
    assert text.count(DEVICE) == 2
    again = "```py\nfrom a import b\n\nb().to('cuda')\n```\n"
    text = fixed("a.md", again + again)
    assert text.count(DEVICE) == 2 and text.count("import torch\n") == 2


def test_a_fragment_gets_its_import_and_the_others_use_its_device() -> None:
    text = "```py\nfrom a import Net\n\nnet = Net().to('cuda')\n```\n\n```py\nnet(x.to('cuda'))\n```\n"
    assert fixed("a.md", text) == (
        f"```py\nimport torch\nfrom a import Net\n\n{DEVICE}\n\nnet = Net().to(device)\n```\n\n"
        "```py\nnet(x.to(device))\n```\n"
    )


def test_programs_begin_where_they_did_before_fixes() -> None:
    block = "```py\nx = 1\n```\n"
    document = Document("a.md", f"```py\nimport torch\n```\n{block}")
    assert len(document.programs) == 1
    after = document.replace(text=document.text.replace("x = 1", "import torch"))
    assert len(after.programs) == 1
    assert len(after.replace(text=document.text.replace("x = 1", "import torch\nx = 1")).programs) == 1
    assert len(Document("a.md", after.text).programs) == 2


def test_a_fix_that_breaks_an_example_is_not_made() -> None:
    document = Document("a.md", "```py\nx = 1\n```\n")
    with DocumentAnalysis(Request(FindingFilter())) as analysis:
        assert analysis.complaint(document, document.text.replace("1", "2")) is None
        assert analysis.complaint(document, document.text.replace("1", "y")) == "the result uses undefined names: y"
        assert analysis.complaint(document, document.text.replace("py", "sh")) == "an example is no longer one"
        assert analysis.complaint(document, document.text.replace("1", "(")) is not None
        latin = document.replace(encoding="latin-1")
        assert "cannot be encoded" in str(analysis.complaint(latin, document.text.replace("1", "'\u6f22'")))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_everything_else_stays(ending: str, bom: bytes) -> None:
    text = (
        "caf\u00e9 \u2028 x.cuda()\n\n> ```pycon\n> >>> import torch\n> >>> x = torch.nn.Linear(1, 1).cuda()  # \u00e9\n> >>> x\n"
        "> tensor([0.], device='cuda:0')\n> ```\n\n    >>> x.cuda()\n\n```python\n!pip install torch\n%matplotlib inline\n"
        "y = x.cuda()   \n```  \nno end"
    ).replace("\n", ending)
    report = fixing("a.md", bom + text.encode())
    assert report.source is not None and report.failures == ()
    expected = (
        text.replace("nn.Linear(1, 1).cuda()", "nn.Linear(1, 1).to(device)")
        .replace("y = x.cuda()", "y = x.to(device)")
        .replace(f"import torch{ending}>", f"import torch{ending}> >>> {DEVICE}{ending}>")
    )
    assert report.source.to_bytes(report.after_text) == bom + expected.encode()


def test_a_definition_stands_below_what_the_import_prints() -> None:
    text = "```\n```\n```pycon\n>>> import torch\nhello\n\n```\n\n```py\ny = x.cuda()\n```\n"
    assert fixed("a.md", text) == text.replace("hello\n", f"hello\n>>> {DEVICE}\n").replace(".cuda()", ".to(device)")


def test_prompts_stay_right() -> None:
    text = '''\
def f(x):
    """Doubles.

    >>> import torch
    >>> model = torch.nn.Linear(2, 2)
    >>> if torch.cuda.is_available():
    ...     model = model.cuda()
    ...     print("moved")
    >>> if torch.cuda.is_available():
    ...     model.cuda()
    >>> f(x,
    ...   y=torch.full((2,), 2.0).to("cuda"))
    >>> for _ in range(1):
    ...     x = f(x.cuda())
    """
    return 2 * x
'''
    result = fixed("a.py", text)
    assert result.count(".to(device)") == 2
    assert result.count(">>> if torch.cuda.is_available():\n") == 2  # a move out of the block would need other prompts
    examples = doctest.DocTestParser().get_examples(result)
    for example in examples:
        compile(example.source, "<example>", "single")
    assert len(examples) == len([line for line in result.splitlines() if line.strip().startswith(">>>")])


def test_docstrings_have_nothing_to_do_with_each_other() -> None:
    doc = '"""A.\n\n{0}>>> import torch\n{0}>>> torch.nn.Linear(1, 1).cuda()\n{0}"""\n'
    text = f"{doc.format('')}\n\ndef f():\n    {doc.format('    ')}\n\nclass C:\n    r{doc.format('    ')}"
    result = fixed("a.py", text)
    assert result.count(DEVICE) == 3
    assert found("a.py", text) == ["DEV101 4:27", "DEV101 12:31", "DEV101 20:31"]
    assert result.count(f"    >>> {DEVICE}\n    >>> torch.nn") == 2


def test_code_and_examples_of_one_file() -> None:
    text = 'import torch\n\nx = torch.nn.Linear(1, 1).cuda()\n\n\ndef f():\n    """F.\n\n    >>> f().to("cuda")\n    """\n    return 1\n'
    result = fixed("a.py", text)
    assert result.startswith(f"import torch\n\n{DEVICE}\n\nx = torch.nn.Linear(1, 1).to(device)\n")
    assert f"    >>> import torch\n    >>> {DEVICE}\n    >>> f().to(device)\n" in result


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    "One line: >>> x.cuda()"\n',
        'def f():\n    """>>> x.cuda() \\\n    """\n',
        'x = """\n>>> x.cuda()\n"""\n',
        'def f():\n    """A\n\n    >>> "\\n".join(x.cuda())\n    """\n',
        'def f():\n    """A" "B\n    >>> x.cuda()\n    """\n',
        'def f():\n    return 1\n    """\n    >>> x.cuda()\n    """\n',
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert fixing("a.py", text.encode()).changed is False


def test_a_docstring_that_ends_with_its_example() -> None:
    text = 'def f():\n    """>>> import torch\n    >>> torch.nn.Linear(1, 1).cuda()"""\n'
    result = fixed("a.py", text)
    assert result == text.replace("    >>> torch", f"    >>> {DEVICE}\n    >>> torch").replace(".cuda()", ".to(device)")


def test_suppression() -> None:
    block = "```py\nx = y.cuda()  {0}\nx = z.cuda()\n```\n"
    assert found("a.md", block.format("# noqa: DEV101")) == ["DEV101 3:7"]
    assert found("a.md", block.format("# devlint: ignore-file")) == []
    assert found("a.md", "<!-- devlint: ignore[DEV101] -->\n" + block.format("")) == []
    assert found("a.md", "<!-- devlint: ignore-file[DEV1] -->\n\n" + block.format("")) == []
    assert found("a.md", block.format("# noqa: DEV106"), **{"extend-select": ["DEV003"]}) == [
        "DEV101 2:7",
        "DEV101 3:7",
    ]
    doc = 'def f():\n    """F.\n\n    >>> x.cuda()\n    """  # noqa: DEV101 - CUDA only\n'
    assert found("a.py", doc) == []
    assert fixed("a.py", doc) == doc


def test_misspelled_variables_are_found_once() -> None:
    text = "`CUDA_VISIBLE_DEVICE`\n\n```python\nimport os\nos.environ['CUDA_VISIBLE_DEVICE'] = '0'\n```\n"
    assert found("a.md", text, ignore=["DEV302"]) == ["DEV301 1:2", "DEV301 5:13"]
    assert fixed("a.md", text).count("CUDA_VISIBLE_DEVICES") == 2
    assert found("a.md", text, select=["DEV1"]) == []


@pytest.mark.parametrize("name", ["a.md", "a.markdown", "a.rst"])
def test_a_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    block = "Text\n\n.. code-block:: python\n\n   {}\n" if name == "a.rst" else "```python\n{}\n```\n"
    Path(name).write_text(block.format("y = x.to('cuda')"))
    assert run("check") == 0
    assert run("check", "--document-code", "--output-format", "json") == 1
    (one,) = json.loads(capsys.readouterr().out.removeprefix("All checks passed!\n"))
    assert (one["code"], one["location"]["row"]) == ("DEV102", 5 if name == "a.rst" else 2)
    Path("devlint.toml").write_text("document-code = true\n")
    assert run("check", "--statistics") == 1
    assert run("check", "--no-document-code") == 0
    assert run("fix", "--diff") == 1
    assert ("-   y" if name == "a.rst" else "-y") + " = x.to('cuda')\n" in capsys.readouterr().out
    assert run("fix") == 0
    assert "y = x.to(device)" in Path(name).read_text()
    assert run("check") == 0


def run(*arguments: str) -> int | None:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


def test_standard_input_and_a_baseline(tmp_path: Path) -> None:
    tmp_path.joinpath("a.md").write_text(README)
    for arguments, code, out in (
        (["fix", "-", "--stdin-filename", "a.md", "--document-code"], 0, fixed("a.md", README)),
        (["baseline", "--document-code"], 0, None),
        (["check", "--document-code", "--baseline", "devlint-baseline.json", "-q"], 0, ""),
    ):
        result = subprocess.run(
            [sys.executable, "-m", "devlint", *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT)},
            input=README,
            capture_output=True,
            text=True,
        )
        assert result.returncode == code, result.stderr
        assert out is None or result.stdout == out


def test_a_line_of_many_quotation_marks_is_looked_at_once() -> None:
    # Each mark and its space could be told apart in two ways: this took minutes.
    text = "> " * 40 + "x\n> ```python\n> x.cuda()\n> ```\n"
    assert [row.text for (row,) in code_blocks(text, MARKDOWN)] == ["x.cuda()"]


def test_fences_that_nothing_closes_are_not_searched_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    closer = blocks_module._CLOSER

    class Counted:
        def match(self, text: str) -> object:
            looked_at.append(text)
            return closer.match(text)

    monkeypatch.setattr(blocks_module, "_CLOSER", Counted())
    text = "```python\n~~~python\nx.cuda()\n~~~~python\n" * 100 + "~~~\n"
    found = list(code_blocks(text, MARKDOWN))
    assert len(found) == 1
    assert len(looked_at) == 401


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("```py\na\n``\nb\n````\nc\n", ["a", "``", "b"]),
        ("````py\na\n```\nb\n````\n", ["a", "```", "b"]),
        ("~~~py\na\n```\nb\n~~~  \n", ["a", "```", "b"]),
        ("> ```py\n> a\n> > ```\n", ["a"]),
        ("````py\na\n```py\nb\n```\n", ["b"]),
    ],
)
def test_which_line_closes_a_fence(text: str, rows: list[str]) -> None:
    assert [row.text for block in code_blocks(text, MARKDOWN) for row in block] == rows
