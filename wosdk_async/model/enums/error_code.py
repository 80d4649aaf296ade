"""The enum ErrorCode.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from wosdk_async.model._enum import OpenEnum


class ErrorCode(OpenEnum):
    """Values of ``ErrorCode``. Open list: ERROR_CODE_{number} stands for any numbered error of the service
    core. HTTP 200 success, 400 handled errors and malformed tokens, 401 no Authorization header, 403 no
    Bearer word or token check failed, 500 unhandled errors. http_status of doc codes is deduced from that
    table. Sources: spec, doc, peer.
    """

    BUSINESS_LOGIC_ERROR = "BUSINESS_LOGIC_ERROR"
    """A business rule refused the request. HTTP status 400."""
    ERROR_CODE_1000 = "ERROR_CODE_1000"
    """Operation not supported by the entity. HTTP status 400."""
    EMPTY_INPUT_PARAMETER = "EMPTY_INPUT_PARAMETER"
    """Body missing, empty or unreadable. HTTP status 400."""
    ENTITYSPECIFIER_NOT_FOUND = "ENTITYSPECIFIER_NOT_FOUND"
    """Entity specifier missing or empty. HTTP status 400."""
    COMMAND_NOT_FOUND = "COMMAND_NOT_FOUND"
    """No such command. HTTP status 400."""
    DATA_PARSING_ERROR = "DATA_PARSING_ERROR"
    """Id is neither a number nor an identifier object. HTTP status 400."""
    CUSTOM_COMMAND_ERROR = "CUSTOM_COMMAND_ERROR"
    """A dedicated command must be used instead. HTTP status 400."""
    ENTITY_NOT_FOUND = "ENTITY_NOT_FOUND"
    """No such entity type. HTTP status 400."""
    IDENTIFIER_NOT_FOUND = "IDENTIFIER_NOT_FOUND"
    """No id given. HTTP status 400."""
    INCORRECT_MODEL = "INCORRECT_MODEL"
    """Input does not fit the model. HTTP status 400."""
    MISSING_AUTHORIZATION_HEADER = "MISSING_AUTHORIZATION_HEADER"
    """Authorization header missing. HTTP status 401."""
    MISSING_AUTHORIZATION_SCHEME = "MISSING_AUTHORIZATION_SCHEME"
    """Bearer word missing. HTTP status 403."""
    DATABASE_VERSION_MISMATCH = "DATABASE_VERSION_MISMATCH"
    """Company unknown or not served by this host. HTTP status 400. Status not stated; 400 assumed."""
    INCORRECT_TOKEN = "INCORRECT_TOKEN"  # noqa: S105
    """Token is not valid. HTTP status 403."""
    EXPIRED_TOKEN = "EXPIRED_TOKEN"  # noqa: S105
    """Token is too old. HTTP status 403."""
    ERROR_CODE_1002 = "ERROR_CODE_1002"
    """The entity does not expose that property. HTTP status 400."""
    ERROR_CODE_1003 = "ERROR_CODE_1003"
    """Bad property path in a query. HTTP status 400."""
    ERROR_CODE_1019 = "ERROR_CODE_1019"
    """Record not found. HTTP status 400."""
    ERROR_CODE_6 = "ERROR_CODE_6"
    """Version conflict. HTTP status 400."""
