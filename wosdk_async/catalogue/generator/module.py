"""A module of the model being written: its fields, its classes and what they import."""

from __future__ import annotations

from collections.abc import Iterable

from wosdk_async.catalogue import Catalogue, Field
from wosdk_async.catalogue.generator.names import (
    class_name,
    entity_module,
    enum_modules,
    result_modules,
    snake,
)
from wosdk_async.catalogue.generator.text import (
    WIDTH,
    call,
    docstring,
    field_text,
    from_import,
    header,
    literal,
)

__all__ = ["Module"]

PACKAGE = "wosdk_async.model"
DEFINE = "@define(kw_only=True, eq=False, repr=False)"  # both are the root's, once for all classes
PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "Decimal",
    "boolean": "bool",
    "datetime-local": "datetime",
    "datetime-utc": "datetime",
}


class Module:
    """A module being written: its classes and what they import."""

    def __init__(self, catalogue: Catalogue, name: str) -> None:
        self.catalogue = catalogue
        self.name = name
        self.enums = enum_modules(catalogue)
        self.results = result_modules(catalogue)
        self.classes: list[str] = []
        self.imports: dict[str, set[str]] = {}
        self.typing: dict[str, set[str]] = {}

    def use(self, module: str, name: str, *, typing_only: bool = False) -> str:
        """Import ``name`` of the model's ``module`` unless it is our own; return the name."""
        if module != self.name:
            into = self.typing if typing_only else self.imports
            into.setdefault(f"{PACKAGE}.{module}", set()).add(name)
        return name

    def class_of(self, wire: str) -> str:
        entity = self.catalogue.entities[wire]
        return self.use(entity_module(entity), class_name(wire), typing_only=True)

    def annotation(self, field: Field) -> str:
        """The type of a field, as text."""
        one = self._one(field)
        return f"list[{one}] | None" if field.is_list else "Any" if one == "Any" else f"{one} | None"

    def _one(self, field: Field) -> str:
        if field.kind in PLAIN:
            kind = PLAIN[field.kind]
            if kind in ("datetime", "Decimal"):
                self.typing.setdefault(kind.lower(), set()).add(kind)
            return kind
        if field.kind == "enum" and field.of:
            return self.use(self.enums[field.of], field.of, typing_only=True)
        if field.of or field.kind == "money":
            return self.class_of(field.of or "Money")
        self.imports.setdefault("typing", set()).add("Any")
        return "Any"

    def field(self, field: Field) -> str:
        """The declaration of a field and its docstring."""
        self.imports.setdefault("attrs", set()).add("field")
        self.use("metadata", "wire")
        head = f"{snake(field.name)}: {self.annotation(field)} = field"
        line = call(head, ["default=None", f"metadata=wire({', '.join(_wire(field))})"], "    ")
        if max(map(len, line.splitlines())) > WIDTH:
            metadata = call("metadata=wire", _wire(field), " " * 8)
            line = f"    {head}(\n        default=None,\n{metadata},\n    )"
        return f"{line}\n{docstring(field_text(field, self.catalogue.aliases), '    ')}"

    def add(self, head: str, doc: str, body: Iterable[str]) -> None:
        self.imports.setdefault("attrs", set()).add("define")
        lines = "\n".join(body)
        gap = "\n\n" if lines else ""
        self.classes.append(f"{DEFINE}\nclass {head}:\n{docstring(doc, '    ')}{gap}{lines}")

    def text(self, title: str) -> str:
        if self.typing:
            self.imports.setdefault("typing", set()).add("TYPE_CHECKING")
        parts = [f"{header(title)}\n\nfrom __future__ import annotations\n", _imports(self.imports)]
        if self.typing:
            parts.append(f"if TYPE_CHECKING:\n{_imports(self.typing, '    ')}")
        return "\n".join(parts) + "\n\n" + "\n\n\n".join(self.classes) + "\n"


def _imports(names: dict[str, set[str]], indent: str = "") -> str:
    """The import lines: the standard library's, attrs' and our own."""
    blocks = (
        [from_import(module, names[module], indent) for module in sorted(names) if _block(module) == block]
        for block in range(3)
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _block(module: str) -> int:
    return 2 if module.startswith(PACKAGE) else int(module == "attrs")


def _wire(field: Field) -> list[str]:
    given = [literal(field.name), literal(field.kind)]
    of = field.of or ("Money" if field.kind == "money" else None)
    if of:
        given.append(literal(class_name(of)))
    more = {
        "many": field.is_list,
        "max_length": field.max_length,
        "max_length_source": field.max_length_source,
        "required": field.required,
        "aliases": field.aliases,
        "secret": field.kind == "string" and "password" in field.name.lower(),
    }
    given += [f"{name}={literal(value)}" for name, value in more.items() if value]
    return given if field.updatable else [*given, "updatable=False"]
