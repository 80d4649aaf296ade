"""How other clients and the vendor's collections log in, find the host and read (facts 1 to 4)."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest

from tests.sandbox.stranger import Stranger
from tests.support.laws import each_of
from wosdk_async.sandbox import LocalCompany


@pytest.fixture(scope="module", params=["spec", "recorded"])
def caller(request: pytest.FixtureRequest) -> Iterator[Stranger]:
    """A stranger that is logged in, in either dialect."""
    with LocalCompany(dialect=request.param) as local, Stranger(local.variables) as stranger:
        stranger.log_in()
        yield stranger


@each_of("path", ["/OAuth/token", "/OAuth/Token", "//OAuth/token", "/OAuth/token?"])
def test_token_by_form(caller: Stranger, path: str) -> None:
    """Both spellings of the path are in use (facts 1)."""
    known = caller.variables
    fields = {"client_id": known["WOSDK_CLIENT_ID"], "client_secret": known["WOSDK_CLIENT_SECRET"]}
    form = urlencode({"grant_type": "client_credentials"} | fields)
    with Stranger(known) as newcomer:
        status, reply = newcomer.send("POST", path, form)
    assert (status, list(reply)) == (200, ["access_token", "token_type", "expires_in"])


@each_of(
    "path",
    [
        "/api/v1/base/Contact/731",
        "/api/v1/base/Contact?ID=731",
        "/api/v1/base/contact?id=731&properties=",
        "/api/v1/base/Contact/731?properties=*",
        "//api/v1/base/Contact/731",
        "/api/v1/base/Contact/731?",
        "/api/v1/base/Contact/731?=",
        "/api/v1/base/Contact/731/",
        "/API/V1/Base/CONTACT/731?requestId=q",
        "/api/v1/base/Contact/%7B%22Id%22%3A731%7D",
    ],
)
def test_forms_of_a_retrieve(caller: Stranger, path: str) -> None:
    """facts 3.1: an id in the path or as a parameter, slashes too many, a bare question mark."""
    status, reply = caller.send("GET", path)
    assert (status, reply["Data"]["LastName"]) == (200, "Lindqvist")
    assert "ContactAddresses" not in reply["Data"]
    assert ("RequestId" in reply) == ("requestId" in path)


def test_chosen_properties(caller: Stranger) -> None:
    """facts 3.4: an object that is passed through shows the next step and its Id."""
    path = "/api/v1/base/AssetTree?ID=" + quote('{"parentid":20400,"ChildId":20440}')
    status, reply = caller.send(
        "GET", path + "&properties=Distance,Child.Info.*,Child.Attributes.Descriptor.Name"
    )
    data = reply["Data"]
    assert (status, data["Distance"], data["Id"]) == (200, 3, 20400)
    assert next(iter(data)) == "Id"  # facts 3.3: here it opens the row
    assert data["Child"].keys() <= {"Info", "Attributes", "Id"}
    (attribute,) = data["Child"]["Attributes"]
    assert attribute == {"Descriptor": {"Name": "Service line", "Id": 45}, "Id": 811}


@each_of(
    ("method", "path", "body", "status", "code"),
    [
        ("PUT", "base/WorkOrder/5", '{"Properties":["*"],"Entity":{"Id":5}}', 405, None),
        ("PATCH", "base/WorkOrder/5", "{}", 405, None),
        ("GET", "base/Contact/731?properties=Nmae", "", 400, "ERROR_CODE_1002"),
        ("GET", "base/Document/1?properties=DocType", "", 400, "ERROR_CODE_1003"),
        ("GET", "base/Contact", "", 400, "IDENTIFIER_NOT_FOUND"),
        ("GET", "base/Contact/x", "", 400, "DATA_PARSING_ERROR"),
        ("GET", "base/Property/1", "", 400, "ENTITY_NOT_FOUND"),
        ("POST", "base/TimeCard", '{"Entity":{}}', 400, "ERROR_CODE_1000"),
        ("POST", "base/Workzone", '{"Entity":{}}', 400, "CUSTOM_COMMAND_ERROR"),
        ("DELETE", "base/Portfolio/1", "", 400, "CUSTOM_COMMAND_ERROR"),
        ("POST", "cmd/WoAddNoteCommand", "{}", 400, "COMMAND_NOT_FOUND"),
        ("POST", "cmd/Workzone/delete", '{"Command":{"WorkZoneId":', 400, "COMMAND_NOT_FOUND"),
        ("POST", "cmd/RestoreCommand", '{"Command":{}}', 400, "ENTITYSPECIFIER_NOT_FOUND"),
        ("POST", "cmd/WoPickUpCommand", '{"WorkOrderId":5}', 400, "INCORRECT_MODEL"),
        ("POST", "query/Contact", '{"QueryExpression":{"Count":-1}}', 400, "INCORRECT_MODEL"),
        ("POST", "query/Contact", "", 400, "EMPTY_INPUT_PARAMETER"),
        ("POST", "base/Contact", '{"Entity":[1]}', 400, "INCORRECT_MODEL"),
        ("POST", "query/AssetInfo", '{"QueryExpression":{}}', 400, "ERROR_CODE_1000"),
        ("POST", "batch/Get", '[{"EntityType":"Contact","ID":731}]', 400, "BUSINESS_LOGIC_ERROR"),
    ],
)
def test_refusals(caller: Stranger, method: str, path: str, body: str, status: int, code: str | None) -> None:
    """facts 6: the code of each mistake, in the service's own body."""
    found, reply = caller.send(method, f"/api/v1/{path}", body)
    assert (found, code or reply["ErrorCode"]) == (status, reply["ErrorCode"])
    assert list(reply) == ["ErrorMessage", "ErrorCode", "TimeStamp"]
    assert "batch" not in path or "does not model the batch" in reply["ErrorMessage"]


def test_messages_name_the_server_s_spelling(caller: Stranger) -> None:
    """facts 6: exact texts, with the entity as the server spells it."""
    said = {
        "base/contact/731?properties=nmae": 'Contact entity does not expose "nmae" property.',
        "base/property/1": "There are no such entityType as 'property'",
    }
    for path, message in said.items():
        assert caller.send("GET", f"/api/v1/{path}")[1]["ErrorMessage"] == message


def test_discovery(caller: Stranger) -> None:
    """facts 2: with ApiType the address ends in a slash, without it the host is right; and by GET."""
    root = caller.variables["WOSDK_LOCATOR_URL"]
    for more in ({"ApiType": "REST", "Protocol": "HTTPS"}, {}):
        body = {"Command": {"CompanyName": caller.headers["CompanyName"], **more}}
        status, reply = caller.send("POST", "/api/v1/cmd/GetCompanyWsdkUrlCommand", body)
        found = reply["CommandResult"]
        assert (status, found["CompanyName"]) == (200, caller.variables["WOSDK_COMPANY"])
        assert found["Url"].startswith(root + "/")
        assert found["Url"] == root + "/" or not more
    path = f"/api/v1/CorrigoService/GetCompanyWsdkUrl/{caller.headers['CompanyName']}?requestId=d"
    status, reply = caller.send("GET", path)
    assert (status, reply["CommandResult"]["Url"], reply["RequestId"]) == (200, root + "/", "d")
    body = {"Command": {"ApiType": "SOAP", "CompanyName": caller.headers["CompanyName"]}, "RequestId": 7}
    reply = caller.send("POST", "/api/v1/cmd/GetCompanyWsdkUrlCommand", body)[1]
    assert (reply["RequestId"], "/wsdk/" in reply["CommandResult"]["Url"]) == ("7", True)
    body = {"Command": {"ApiType": "REST", "CompanyName": "Nobody"}}
    assert caller.send("POST", "/api/v1/cmd/GetCompanyWsdkUrlCommand", body)[0] == 400
