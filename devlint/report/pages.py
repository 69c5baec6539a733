"""Makes pages of templates: one file each, with all styles and scripts in it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from devlint import __version__
from devlint.core.errors import DevlintError
from devlint.report.tally import Portability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jinja2 import Environment
    from markupsafe import Markup

GLYPHS = {
    Portability.PORTABLE: "✓",
    Portability.SAFE: "↻",
    Portability.UNSAFE: "!",
    Portability.HAND: "✎",
    Portability.BLOCKED: "✕",
    Portability.UNKNOWN: "?",
    Portability.NO_TORCH: "·",
}
"""What stands beside each colour, for those who do not see it."""
_OWN = "devlint.report"


def rendered_page(template: str, values: dict[str, Any], package: str = _OWN, script: str = "report.js") -> str:
    """A page, whose template extends ``base.html``; it and the script are looked for in a package, then in ours.

    ``values["data"]``, if it is there, is what the script finds in the element ``data``, as JSON.
    """
    from markupsafe import Markup

    code = _text(package, script)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    known = {
        "version": __version__,
        "styles": Markup(_text(_OWN, "report.css")),
        "script": Markup(code),
        "script_hash": f"sha256-{digest}",
        "portabilities": list(Portability),
        "glyphs": GLYPHS,
        "glyph_of": {one.value: glyph for one, glyph in GLYPHS.items()},
    }
    page = _environment(package).get_template(template).render({**known, **values})
    return page.encode("utf-8", "replace").decode()  # half a character of a file's name is none


def require_templates() -> None:
    """Raise DevlintError where there is nothing to make pages with."""
    _environment(_OWN)


@cache
def _environment(package: str) -> Environment:
    """The templates of a package; whatever they are given is text, and never markup."""
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise DevlintError("pages need Jinja2: pip install 'devlint[report]', or --format md, csv or json") from None
    loaders = [PackageLoader(one) for one in dict.fromkeys((package, _OWN))]
    environment = Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(fitting=fitting, percent=percent, number=grouped, ticked=ticked)
    return environment


def _text(package: str, name: str) -> str:
    """A file of a package's templates, or of ours where it has none of that name."""
    found = files(package).joinpath(f"templates/{name}")
    return (found if found.is_file() else files(_OWN).joinpath(f"templates/{name}")).read_text(encoding="utf-8")


def fitting(text: str, width: float, character: float) -> str:
    """As much of a text as fits into a width, given that of a character."""
    room = int(width / character)
    return text if len(text) <= room else text[: max(room - 1, 0)] + "…" * (room > 1)


def percent(share: float) -> str:
    """A share from 0 to 1 for people: neither all nor nothing unless it is."""
    if 0 < share < 0.005:
        return "<1\u00a0%"
    if 0.995 <= share < 1:
        return ">99\u00a0%"
    return f"{share:.0%}".replace("%", "\u00a0%")


def grouped(number: float) -> str:
    """A number with its thousands apart."""
    return f"{number:,}"


def ticked(text: str) -> Markup:
    """A text as markup, with what stands between backticks as code."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:  # one of them has no partner
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(one) if at % 2 else escape(one) for at, one in enumerate(parts)
    )
