"""What an editor sees of the language server."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.support.editor import Editor, editing

pytestmark = pytest.mark.asyncio

PROGRAM = """import torch

model = torch.nn.Linear(4, 2).cuda()
y = torch.zeros(4, pin_memory=True)
"""
FIXED = """import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(4, 2).to(device)
y = torch.zeros(4, pin_memory=True)
"""
NO_DELAY = {"debounce": 0}


async def test_a_text_is_looked_at_as_it_is_in_the_editor(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx.cuda()\n" * 9)
    async with editing(tmp_path, NO_DELAY) as editor:
        uri = editor.open("a.py", PROGRAM)
        first, second = await editor.shown(uri)
        assert (first.code, first.source, first.severity) == ("DEV101", "devlint", types.DiagnosticSeverity.Warning)
        assert first.code_description is not None and first.code_description.href.endswith("DEV101/")
        assert [editor.marked(uri, one) for one in (first, second)] == ["cuda()", "pin_memory=True"]
        editor.change(uri, (PROGRAM.index(".cuda"), PROGRAM.index(".cuda") + 7, ""))
        assert await editor.codes(uri) == ["DEV503"]
        editor.append(uri, "torch.zeros(2).cuda(")
        shown = await editor.shown(uri)
        assert [(one.code, one.severity) for one in shown] == [("DEV001", types.DiagnosticSeverity.Error)]
        editor.append(uri, ")  # noqa: DEV101, DEV102\n")
        shown = await editor.shown(uri)
        assert [str(one.code) for one in shown] == ["DEV503", "DEV002"]
        assert list(shown[1].tags or ()) == [types.DiagnosticTag.Unnecessary]
        editor.close(uri)
        await editor.until(lambda: editor.published[-1].version is None)
        assert list(editor.published[-1].diagnostics) == []

        other = editor.open("untitled:Untitled-1", PROGRAM)
        assert await editor.codes(other) == ["DEV101", "DEV503"]
        script = editor.open("run.sh", "export CUDA_VISIBLE_DEVICE=0\n", "shellscript")
        assert await editor.codes(script) == ["DEV301"]
        assert await editor.codes(editor.open("notes.txt", PROGRAM, "plaintext")) == []
        assert {"workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles"} == set(editor.registered)
        assert editor.messages == [] and editor.log == []


async def test_actions(tmp_path: Path) -> None:
    async with editing(tmp_path, NO_DELAY) as editor:
        uri = editor.open("a.py", PROGRAM)
        first, second = await editor.shown(uri)
        offered = await editor.actions(uri, types.Range(first.range.start, first.range.start))
        assert [(one.title, one.kind, one.is_preferred) for one in offered] == [
            ("Replace `.cuda()` by `.to(device)`", "quickfix", True),
            ("Suppress DEV101 on this line (`# devlint: ignore[DEV101]`)", "quickfix", None),
            ("devlint: make all safe fixes", "source.fixAll.devlint", None),
        ]
        line = types.Range(types.Position(2, 0), types.Position(2, 0))
        assert [one.title for one in await editor.actions(uri, line)] == ["devlint: make all safe fixes"]
        assert await editor.actions(uri, line, shown=[first]) == offered
        unsafe, suppress, _ = await editor.actions(uri, second.range)
        assert unsafe.title.startswith("Unsafe: Replace ") and unsafe.title.endswith(")") and not unsafe.is_preferred
        for only, count in (("quickfix", 2), ("source.fixAll", 1), ("source.fixAll.devlint", 1), ("refactor", 0)):
            assert len(await editor.actions(uri, second.range, [only])) == count, only

        await editor.choose(offered[0])
        assert editor.texts[uri] == FIXED
        with pytest.raises(JsonRpcException, match="changed"):
            await editor.client.code_action_resolve_async(suppress)
        (left,) = await editor.shown(uri)
        _, suppress = await editor.actions(uri, left.range)
        await editor.choose(suppress)
        assert editor.texts[uri] == FIXED[:-1] + "  # devlint: ignore[DEV503]\n"
        assert await editor.codes(uri) == []


@pytest.mark.slow
async def test_all_safe_fixes_and_an_unsafe_one(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text('unsafe-fixes = true\nsuppression-comments = ["allow-cuda"]\n')
    async with editing(tmp_path, NO_DELAY, spec="neovim@0.7.0") as editor:
        uri = editor.open("a.py", "\ufeff" + PROGRAM.replace("\n", "\r\n"))
        _, second = await editor.shown(uri)
        (everything,) = await editor.actions(uri, second.range, ["source.fixAll"])
        unsafe, own, _, _ = await editor.actions(uri, second.range)
        assert own.title == "Suppress DEV503 on this line (`# allow-cuda`)"
        await editor.choose(everything)
        assert editor.texts[uri] == "\ufeff" + FIXED.replace("\n", "\r\n")
        (left,) = await editor.shown(uri)
        unsafe, own, _ = await editor.actions(uri, left.range)
        await editor.choose(unsafe)
        assert "pin_memory=torch.cuda.is_available()" in editor.texts[uri] and await editor.codes(uri) == []
        assert editor.texts[uri].count("\r\n") == editor.texts[uri].count("\n")


async def test_a_client_that_asks_for_no_edits_later_gets_them_at_once(tmp_path: Path) -> None:
    async with editing(tmp_path, NO_DELAY, options={"showUnsafeFixes": False}, resolves=False) as editor:
        uri = editor.open("a.py", PROGRAM)
        first, second = await editor.shown(uri)
        offered = await editor.actions(uri, first.range)
        assert len(offered) == 3 and all(one.edit is not None and one.data is None for one in offered)
        assert [one.title for one in await editor.actions(uri, second.range, ["quickfix"])] == [
            "Suppress DEV503 on this line (`# devlint: ignore[DEV503]`)"
        ]
        await editor.choose(offered[-1])
        assert editor.texts[uri] == FIXED


@pytest.mark.parametrize("encoding", [types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16])
async def test_positions_are_those_of_the_encoding(encoding: types.PositionEncodingKind, tmp_path: Path) -> None:
    text = 'import torch\r\nif 1:\r\n\tx = "😀é"; y = torch.zeros(2).cuda(); z = "\x0c\u2028"\r\n\tw = y.cuda()\r\n'
    async with editing(tmp_path, NO_DELAY, encodings=[encoding]) as editor:
        assert editor.encoding == encoding
        uri = editor.open("a.py", text)
        first, second = await editor.shown(uri)
        assert first.range.start == types.Position(2, 34 if encoding is types.PositionEncodingKind.Utf8 else 31)
        assert [editor.marked(uri, one) for one in (first, second)] == ["cuda()", "cuda()"]
        editor.change(
            uri, (text.index("é"), text.index("é") + 1, "\u2028é😀"), (text.rindex("y"), text.rindex("y"), "  ")
        )
        first, second = await editor.shown(uri)
        assert [editor.marked(uri, one) for one in (first, second)] == ["cuda()", "cuda()"]
        fix, suppress, _ = await editor.actions(uri, first.range)
        await editor.choose(suppress)
        assert (
            editor.texts[uri].splitlines()[2].endswith("# devlint: ignore[DEV101]")
            or '"\x0c\u2028"  # devlint' in editor.texts[uri]
        )
        assert len(await editor.shown(uri)) == 1, (editor.texts, await editor.shown(uri))


async def test_hover(tmp_path: Path) -> None:
    async with editing(tmp_path, NO_DELAY) as editor:
        text = PROGRAM + "y = torch.zeros(2).cuda()  # noqa: DEV101\n"
        uri = editor.open("a.py", text)
        safe = await editor.hover(uri, text.index(".cuda()") + 3)
        assert (
            safe.startswith("`.cuda()` needs CUDA on every machine\n\nSafe fix: Replace")
            and "DEV101 cuda-method" in safe
        )
        unsafe = await editor.hover(uri, text.index("pin_memory="))
        assert "Unsafe fix: " in unsafe and "#### Fix safety" in unsafe
        assert (await editor.hover(uri, text.index("DEV101") + 2)).startswith("---\n\n### [DEV101 cuda-method]")
        assert await editor.hover(uri, 0) == ""


@pytest.mark.slow
async def test_a_newer_change_ends_the_look_at_an_older_one(tmp_path: Path) -> None:
    async with editing(tmp_path, {"debounce": 100}) as editor:
        uri = editor.open("a.py", PROGRAM)
        await editor.shown(uri)
        before = len(editor.published)
        for _ in range(20):
            editor.append(uri, "torch.zeros(2).cuda()\n")
        assert len(await editor.shown(uri)) == 22
        editor.append(uri, "torch.zeros(2).cuda()\n")
        await asyncio.sleep(0.15)  # it is being looked at now, or soon
        editor.append(uri, "torch.zeros(2).cuda()\n")
        assert len(await editor.shown(uri)) == 24
        assert len(editor.published) - before <= 11  # not one for each of the 22 changes; 3 on an idle machine


async def test_several_folders_each_with_its_own_configuration(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two / "inner"):
        folder.mkdir(parents=True)
    (one / "pyproject.toml").write_text('[tool.devlint]\nignore = ["DEV101"]\nextend-exclude = ["generated"]\n')
    (two / "devlint.toml").write_text('target = "accelerator"\ntorch-min-version = "2.6"\n')
    (two / "inner" / "devlint.toml").write_text('select = ["DEV101"]\n')
    async with editing(tmp_path, NO_DELAY, folders=[one, two]) as editor:
        assert await editor.codes(editor.open("one/a.py", PROGRAM)) == ["DEV503"]
        assert await editor.codes(editor.open("one/generated/a.py", PROGRAM)) == []
        assert await editor.codes(editor.open("two/inner/a.py", PROGRAM)) == ["DEV101"]
        uri = editor.open("two/a.py", PROGRAM)
        (everything,) = await editor.actions(uri, editor.place(uri, 0, 0), ["source.fixAll"])
        await editor.choose(everything)
        assert "torch.accelerator" in editor.texts[uri]

        inner = editor.uri("two/inner/a.py")
        editor.client.set_configuration({"devlint": {"select": ["DEV503"], **NO_DELAY}}, scope_uri=two.as_uri())
        before = len(editor.published)
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        assert await editor.codes(inner, before) == ["DEV503"]
        assert await editor.codes(editor.uri("one/a.py"), before) == ["DEV503"]


async def test_a_wrong_configuration_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").write_text('selct = ["DEV101"]\n')
    async with editing(tmp_path, {**NO_DELAY, "enabel": True}) as editor:
        uri = editor.open("a.py", PROGRAM)
        assert await editor.codes(uri) == []
        for _ in range(3):
            editor.append(uri, "\n")
            assert await editor.codes(uri) == []
        other = editor.open("b.py", PROGRAM)
        assert await editor.codes(other) == []
        for _ in range(2):
            before = len(editor.published)
            editor.save(uri)
            assert await editor.codes(uri, before) == []
        editor.close(other)
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        wrong = f"devlint: {tmp_path / 'devlint.toml'}: unknown key 'selct' (did you mean 'select'?)"
        unknown = "devlint: editor settings: unknown setting 'enabel' (did you mean 'enable'?)"
        assert sorted(editor.messages) == sorted([wrong, unknown])
        (tmp_path / "devlint.toml").write_text('select = ["DEV101"]\n')
        editor.append(uri, "\n")
        assert await editor.codes(uri) == ["DEV101"]
        assert len(editor.messages) == 2


BROKEN = """
import sys
from devlint.rules import cuda_method
from devlint.cli import main

check = cuda_method.CudaMethod.check

def broken(self, node, *more):
    if "trap" in self.ctx.source.text:
        raise ZeroDivisionError("a\\nbug")
    return check(self, node, *more)

cuda_method.CudaMethod.check = broken
main(["server"])
"""


async def test_a_crash_in_one_file_is_one_line_in_the_log(tmp_path: Path) -> None:
    async with editing(tmp_path, NO_DELAY, command=[sys.executable, "-c", BROKEN]) as editor:
        trap = editor.open("trap.py", PROGRAM + "# trap\n")
        assert await editor.codes(trap) == []
        editor.append(trap, "\n")
        assert await editor.codes(trap) == []
        await editor.until(lambda: editor.log)
        bug = "internal error, please report it: ZeroDivisionError: a bug"
        assert editor.log == [f"devlint: {tmp_path / 'trap.py'}: {bug}"]
        assert await editor.codes(editor.open("a.py", PROGRAM)) == ["DEV101", "DEV503"]


@pytest.mark.slow
async def test_what_is_saved_counts_for_other_files(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "settings.py").write_text("device = None\n")
    text = "import torch\nfrom settings import device\n\nmodel = torch.nn.Linear(4, 2).cuda()\n"
    async with editing(tmp_path, {**NO_DELAY, "run": "onSave"}) as editor:
        uri = editor.open("a.py", text)
        assert await editor.codes(uri) == ["DEV101"]
        before = len(editor.published)
        editor.append(uri, "torch.zeros(2).cuda()\n")
        await asyncio.sleep(0.2)
        assert len(editor.published) == before
        editor.save(uri)
        assert await editor.codes(uri) == ["DEV101", "DEV101"]
        saved = 'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        (tmp_path / "settings.py").write_text(saved)
        changed = types.FileEvent(editor.uri("settings.py"), types.FileChangeType.Changed)
        before = len(editor.published)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
        await editor.shown(uri, before)
        (everything,) = await editor.actions(uri, editor.place(uri, 0, 0), ["source.fixAll"])
        await editor.choose(everything)
        assert editor.texts[uri] == text.replace(".cuda()", ".to(device)") + "torch.zeros(2).to(device)\n"


CELLS = [
    "%pip install torch",
    "import torch\n",
    "# Text",
    "!ls\nmodel = torch.nn.Linear(4, 2).cuda()",
    "x = torch.zeros(2).cuda()",
]


def open_notebook(editor: Editor) -> list[str]:
    """Open a notebook with the cells above, of which the third is no code; gives the addresses of its cells."""
    notebook = editor.uri("a.ipynb")
    uris = [f"vscode-notebook-cell:{notebook.removeprefix('file:')}#{number}" for number in range(len(CELLS))]
    kinds = [
        types.NotebookCellKind.Markup if number == 2 else types.NotebookCellKind.Code for number in range(len(CELLS))
    ]
    cells = [types.NotebookCell(kind, uri) for kind, uri in zip(kinds, uris)]
    items = []
    for number, (uri, text) in enumerate(zip(uris, CELLS)):
        if number != 2:
            editor.texts[uri], editor.versions[uri] = text, 1
            items.append(types.TextDocumentItem(uri, "python", 1, text))
    document = types.NotebookDocument(notebook, "jupyter-notebook", 1, cells)
    editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))
    return uris


async def test_notebooks(tmp_path: Path) -> None:
    async with editing(tmp_path, NO_DELAY) as editor:
        uris = open_notebook(editor)
        (found,) = await editor.shown(uris[3])
        assert editor.marked(uris[3], found) == "cuda()" and found.range.start.line == 1
        assert await editor.codes(uris[4]) == ["DEV101"] and await editor.codes(uris[1]) == []
        assert "cuda-method" in await editor.hover(uris[4], CELLS[4].index(".cuda") + 2)
        fix, suppress, everything = await editor.actions(uris[3], found.range)
        assert everything.kind == "notebook.source.fixAll.devlint"
        assert await editor.actions(uris[3], found.range, ["source.fixAll"]) == []
        texts = await _all_fixed(editor, everything)
        assert texts[uris[1]] == (
            'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        )
        assert texts[uris[3]] == "!ls\nmodel = torch.nn.Linear(4, 2).to(device)"
        assert texts[uris[4]] == "x = torch.zeros(2).to(device)"

        document = types.VersionedNotebookDocumentIdentifier(2, editor.uri("a.ipynb"))
        array = types.NotebookCellArrayChange(1, 2, [])
        gone = [types.TextDocumentIdentifier(uris[1])]
        change = types.NotebookDocumentChangeEvent(
            cells=types.NotebookDocumentCellChanges(
                structure=types.NotebookDocumentCellChangeStructure(array, [], gone),
                text_content=[
                    types.NotebookDocumentCellContentChanges(
                        types.VersionedTextDocumentIdentifier(2, uris[4]),
                        [types.TextDocumentContentChangePartial(editor.place(uris[4], 0, 0), "import torch\n")],
                    )
                ],
            )
        )
        editor.versions[uris[4]] = 2
        editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(document, change))
        assert [one.range.start.line for one in await editor.shown(uris[4])] == [1]
        editor.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(editor.uri("a.ipynb")), [])
        )
        await editor.until(lambda: (editor.published[-1].uri, editor.published[-1].version) == (uris[4], None))
        assert editor.log == [] and editor.messages == []


async def _all_fixed(editor: Editor, action: types.CodeAction) -> dict[str, str]:
    """The texts once an action is done, which the server is not told."""
    other = Editor(editor.client, editor.folder)
    other.texts, other.versions, other.encoding = dict(editor.texts), dict(editor.versions), editor.encoding
    other.change = lambda uri, *changes: _replace(other, uri, *changes)  # type: ignore[method-assign]
    await other.choose(action)
    return other.texts


def _replace(editor: Editor, uri: str, *changes: tuple[int, int, str]) -> None:
    for start, end, text in changes:
        editor.texts[uri] = editor.texts[uri][:start] + text + editor.texts[uri][end:]
