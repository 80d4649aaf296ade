"""The commands that are refused here, each with what would have to be known to model it."""

from __future__ import annotations

__all__ = ["NOT_MODELLED"]

NOT_MODELLED = {
    "CompositeCommand": "how a member names its class is not known",  # facts 5
    "CreateWoPrintoutCommand": "the form of a printout is not known",
    "GeneratePmWoCommand": "maintenance schedules are not an entity of the interface",
    "GetLicensedProvidersRoutine": "the order and meaning of its coverage types are not known",
    "GetProcedureStepsDocumentsRoutine": "how a document belongs to a step is not known",
    "MaterialTransactionCommitCommand": "how each kind of transaction books the stock is not known",
    "RetrieveWithCurrencyTypeCommand": "the form of its results is not known",
    "UserSignInInfoCommand": "nobody signs in here",
    "WorkZoneDefaultCommand": "what it does is not known",
}
