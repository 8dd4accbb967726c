"""Additions to Sphinx.

Public names become links, signatures are readable, and tutorials show drawings of games.
"""

from __future__ import annotations

import base64
import html
import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import desc, desc_annotation, desc_content, desc_signature, index, pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyXRefRole
from sphinx.environment import BuildEnvironment

from tkm_env.core.game import BaseGame

_OPTIONAL = "tkm_optional"


class NameRole(PyXRefRole):
    """A name in single backquotes in a docstring: a link if it is documented, otherwise code.

    Explicit roles must still resolve.
    """

    def create_xref_node(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        self.refdomain, self.reftype = "py", "obj"
        self.classes = ["xref", "py", "py-obj"]
        found, messages = super().create_xref_node()
        for node in found:
            if isinstance(node, pending_xref):
                node[_OPTIONAL] = True
        return found, messages


def _as_code(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: nodes.Node
) -> nodes.Node | None:
    """Allow undocumented names in single backquotes and in signatures.

    Types in signatures need not be public.
    """
    place: nodes.Node | None = node
    while place and not isinstance(place, desc_signature):
        place = place.parent
    return content if place or node.get(_OPTIONAL) else None


def _readable(
    app: Sphinx,
    what: str,
    name: str,
    documented: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write defaults of dataclasses as in source code.

    Sphinx has only their `repr`, which it does not parse.
    """
    return signature and re.sub(r"<class '([\w.]+)'>", r"\1", signature).replace(
        "<factory>", "..."
    ), returned


def _without_long_value(app: Sphinx, domain: str, kind: str, content: nodes.Element) -> None:
    """Omit the `repr` of tables that are class attributes; they have pages of their own."""
    for part in list(content.parent[0].findall(desc_annotation)):
        if part.astext().startswith(" = ") and len(part.astext()) > 100:
            part.parent.remove(part)


_DATA = {"attribute", "data", "property"}


class _KeepProperties:
    """Keeps napoleon from reading a property's "The games: an array" as a type and its text."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def before(
        self,
        app: Sphinx,
        what: str,
        name: str,
        documented: object,
        options: object,
        lines: list[str],
    ) -> None:
        self._lines = list(lines)

    def after(
        self,
        app: Sphinx,
        what: str,
        name: str,
        documented: object,
        options: object,
        lines: list[str],
    ) -> None:
        if what in _DATA:
            lines[:] = self._lines


#: Classes with more members than these have them folded.
_FEW_MEMBERS = 6


def _fold(folded: list[nodes.Node], summary: str) -> None:
    """Fold neighbours in a page below a line that says what they are."""
    parent = folded[0].parent
    place = parent.index(folded[0])
    head = f"<details class='api'><summary>{summary}</summary>"
    parent.insert(place, nodes.raw("", head, format="html"))
    parent.insert(parent.index(folded[-1]) + 1, nodes.raw("", "</details>", format="html"))


def _fold_api(app: Sphinx, doctree: nodes.document) -> None:
    """Fold the members of large classes on the API's pages, and the names in ``folded``."""
    for content in list(doctree.findall(desc_content)):
        members = [child for child in content.children if isinstance(child, desc)]
        if len(members) > _FEW_MEMBERS:
            names = [next(member.findall(desc_signature))["fullname"] for member in members]
            shown = ", ".join(name.rpartition(".")[2] for name in names[:5])
            _fold(list(members), f"{len(members)} attributes and methods: {shown}, …")
    for container in list(doctree.findall(nodes.container)):
        if "folded" in container["classes"]:
            for child in list(container.children):
                if isinstance(child, desc):
                    signature = next(child.findall(desc_signature))
                    words = next(child.findall(nodes.paragraph), nodes.paragraph()).astext()
                    sentence = re.split(r"(?<=[.:])\s", words)[0].rstrip(":.")
                    name = html.escape(signature["fullname"])
                    _fold([child], f"<code>{name}</code> {html.escape(sentence)}")


def _without_names_in_the_index(app: Sphinx, doctree: nodes.document) -> None:
    """Leave the names of the API out of the index: the search finds them as objects."""
    if app.env.docname.startswith("api/"):
        app.env.get_domain("index").data["entries"].pop(app.env.docname, None)
        for node in list(doctree.findall(index)):
            node.parent.remove(node)


def _fold_changelog(app: Sphinx, doctree: nodes.document) -> None:
    """Fold the entries below each heading of the changelog."""
    if app.env.docname == "changelog":
        for entries in list(doctree.findall(nodes.bullet_list)):
            if isinstance(entries.parent, nodes.section):
                _fold([entries], f"{len(entries.children)} entries")


def _draw(game: BaseGame) -> str:
    """Return the drawing of a game for the gallery, in both themes."""
    images = []
    for theme in ("light", "dark"):
        picture = base64.b64encode(game.svg(theme=theme).encode()).decode()
        described = html.escape(game.visible_position)
        source = f"data:image/svg+xml;base64,{picture}"
        images.append(
            f'<img class="only-{theme} game" loading="lazy" alt="{described}" src="{source}">'
        )
    return "".join(images)


def _link_tutorials(app: Sphinx, page: str, content: list[str]) -> None:
    """Turn links to the tutorials' programs, for readers of the repository, into links to pages."""
    content[0] = re.sub(
        r"\(\.\./((?:\.\./)*)examples/tutorials/(plot_\w+)\.py\)",
        r"(\1tutorials/\2.rst)",
        content[0],
    )


def _add_index_entries(app: Sphinx, page: str, content: list[str]) -> None:
    """Turn comments such as ``<!-- index: reward, score -->`` into entries of the index.

    The search ranks such entries first. In the repository the comments are invisible.
    """
    content[0] = re.sub(
        r"^<!-- index: (.+) -->$",
        lambda found: "```{index} " + re.sub(r"(^|, )", r"\1!", found[1]) + "\n```",
        content[0],
        flags=re.MULTILINE,
    )


def _say_roles(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the sidebar's headings a level, and let the keyboard scroll wide tables."""
    for part, given, wanted in (
        ("furo_navigation_tree", 'role="heading"', 'role="heading" aria-level="2"'),
        ("body", '<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ):
        context[part] = context.get(part, "").replace(given, wanted)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx; parallel builds are safe."""
    app.setup_extension("sphinx.ext.napoleon")
    BaseGame._repr_html_ = _draw
    app.add_role("name", NameRole())
    keep = _KeepProperties()
    app.connect("autodoc-process-docstring", keep.before, priority=400)  # napoleon's is 500
    app.connect("autodoc-process-docstring", keep.after, priority=600)
    app.connect("autodoc-process-signature", _readable)
    app.connect("object-description-transform", _without_long_value)
    app.connect("missing-reference", _as_code)
    app.connect("doctree-read", _fold_api)
    app.connect("doctree-read", _fold_changelog)
    app.connect("doctree-read", _without_names_in_the_index)
    app.connect("source-read", _link_tutorials)
    app.connect("source-read", _add_index_entries)
    app.connect("html-page-context", _say_roles, priority=900)  # the theme's is 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
