"""Hooks of MkDocs: pages from files outside docs/, a page for each rule, and links that lead to these pages.

The files of the repository are written for the view of files on a forge; nothing in them is there for the site alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from devlint.core.addresses import DOCUMENTATION

ROOT = Path(__file__).parents[1]
MOVED = {
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Files of the repository by the page that they become; every other page has its path below docs/."""
_GROUP = re.compile(r"^## (DEV\d.*)\n", re.MULTILINE)
_RULE = re.compile(r"^### (DEV\d{3}) ([a-z0-9-]+)\n", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s#]*)(#[^)\s]*)?(?=\))")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The address stands in the package; the list of rules in docs/rules.md."""
    config.site_url = DOCUMENTATION
    assert config.nav is not None
    config.nav = [{"Rules": ["rules.md", *_rule_entries()]} if "rules.md" in entry else entry for entry in config.nav]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that no file of docs/ is; docs/README.md would be taken for the home page."""
    readme = files.get_file_from_path("README.md")
    assert readme is not None
    files.remove(readme)
    for source, page in MOVED.items():
        files.append(File.generated(config, page, content=ROOT.joinpath(source).read_text(encoding="utf-8")))
    style = ROOT.joinpath("website/site.css").read_text(encoding="utf-8")
    files.append(File.generated(config, "site.css", content=style))
    for code, page in rule_pages(ROOT.joinpath("docs/rules.md").read_text(encoding="utf-8")).items():
        files.append(File.generated(config, f"rules/{code}.md", content=page))
    return files


def on_page_markdown(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page as the site shows it."""
    uri = page.file.src_uri
    if uri == "rules.md":
        text = text[: next(_GROUP.finditer(text)).start()]
    if uri.startswith("rules/"):
        return with_site_links(text, "docs/rules.md", uri)
    source = {page: source for source, page in MOVED.items()}.get(uri, f"docs/{uri}")
    return with_site_links(text, source, uri)


def rule_pages(rules: str) -> dict[str, str]:
    """The page of each rule, by its code: its section of docs/rules.md, and what the table there says of it."""
    rows = {code: row for row, code in re.findall(r"^(\| \[(DEV\d{3})\].*)$", rules, re.MULTILINE)}
    parts = _RULE.split(_GROUP.sub("", rules))
    pages = {}
    for code, name, manual in zip(parts[1::3], parts[2::3], parts[3::3]):
        _, _, _, fix, default = (cell.strip() for cell in rows[code].strip("|").rsplit("|", 4))
        facts = f"Fix: {fix} · By default: {default}"
        pages[code] = f"# {code} {name}\n\n{facts}\n\n{manual.strip()}\n".replace("\n#### ", "\n## ")
    return pages


def _rule_entries() -> Iterator[dict[str, Any]]:
    """The groups of rules for the navigation, each with its rules."""
    parts = _GROUP.split(ROOT.joinpath("docs/rules.md").read_text(encoding="utf-8"))
    for group, rules in zip(parts[1::2], parts[2::2]):
        yield {group: [{f"{code} {name}": f"rules/{code}.md"} for code, name in _RULE.findall(rules)]}


def with_site_links(text: str, source: str, page: str) -> str:
    """A text whose links lead from a page of the site; they were written to lead from a file of the repository."""
    pieces, done = [], 0
    for code in _CODE.finditer(text):
        pieces += [_LINK.sub(lambda link: _site_link(link, source, page), text[done : code.start()]), code[0]]
        done = code.end()
    return "".join([*pieces, _LINK.sub(lambda link: _site_link(link, source, page), text[done:])])


def _site_link(link: re.Match[str], source: str, page: str) -> str:
    """One link: to a rule's section as to its page, to a file as to the page it became."""
    target, anchor = link[1], link[2] or ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target)) if target else source
    rule = re.match(r"#(dev\d{3})-", anchor)
    if path == "docs/rules.md" and rule:
        there, anchor = f"rules/{rule[1].upper()}.md", ""
    elif not target:
        return anchor
    else:
        there = MOVED.get(path, path.removeprefix("docs/"))
    return posixpath.relpath(there, posixpath.dirname(page) or ".") + anchor
