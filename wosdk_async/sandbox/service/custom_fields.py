"""Values of custom fields: of the type and length of their descriptor, one for each owner (spec 2.3).

The specification shows that an entry names its descriptor, its owner, the owner's kind, and a text. That the
text is compared with the descriptor, and the codes, are not shown; assumed.
"""

from __future__ import annotations

import re

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.values import is_time
from wosdk_async.sandbox.service.context import RequestContext, required_record
from wosdk_async.sandbox.storage.tables import column

__all__ = ["check_custom_field"]

# CfType -> form of its text; other types take any. The forms are those of JSON and ISO 8601 (assumed).
_FORMS = {
    "Integer": re.compile(r"-?\d{1,19}", re.ASCII),
    "Decimal": re.compile(r"-?\d{1,15}(\.\d{1,12})?", re.ASCII),
    "Money": re.compile(r"-?\d{1,15}(\.\d{1,12})?", re.ASCII),
    "Boolean": re.compile(r"true|false", re.ASCII | re.IGNORECASE),
}
_ALSO = {"Employee": "Provider"}  # facts 9: both are kinds of an Employee record
_SAME = " AND ".join(
    f"{column(path, kind)} = ?"
    for path, kind in (("ObjectId", "integer"), ("ObjectTypeId", "enum"), ("Descriptor.Id", "integer"))
)


def check_custom_field(context: RequestContext, field: Record) -> None:
    """Check a custom field against its descriptor.

    Raises:
        Refusal: the descriptor or the owner is missing, the descriptor is one of another kind of owner or
            says that the value does not fit, or the owner has another value of it.
    """
    if "Descriptor" not in field:
        raise required("Descriptor.Id", "CustomField2")
    if not field["ObjectId"]:
        raise required("ObjectId", "CustomField2")
    key = field["Descriptor"]["Id"]
    if context.unchecked is not None and context.find("CustomFieldDescriptor", key) is None:
        return  # of a seed: its descriptor comes further below
    descriptor = required_record(context, "CustomFieldDescriptor", key, "Descriptor")
    name, kind, value = descriptor["Name"], descriptor["ActorTypeId"], field["Value"]
    if kind not in ("Unknown", field["ObjectTypeId"], _ALSO.get(field["ObjectTypeId"])):
        raise broken_rule(f"{name} is a custom field of {kind}, not of {field['ObjectTypeId']}.")
    if 0 < descriptor["Length"] < len(value):
        raise broken_rule(f"{name} is longer than {descriptor['Length']} characters.")
    if value and not _fits(descriptor["Type"], value):
        raise broken_rule(f"{name} takes a value of type {descriptor['Type']}.")
    owner = field["ObjectId"], field["ObjectTypeId"], descriptor["Id"]
    if any(other["Id"] != field["Id"] for other in context.select("CustomField2", _SAME, *owner, limit=2)):
        raise broken_rule(f"{field['ObjectTypeId']} {field['ObjectId']} has a value of {name} already.")


def _fits(kind: str, value: str) -> bool:
    if kind in ("Date", "Time"):
        return is_time(value) or (kind == "Time" and is_time(f"2000-01-01T{value}"))
    form = _FORMS.get(kind)
    return form is None or form.fullmatch(value) is not None
