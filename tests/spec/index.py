"""Where the case of each table row and numbered rule of the specification is.

Keys are section and row, values the tests: a module, and the names of its tests.
``test_index.py`` checks that every test exists, that none is missing here, and that no section is left out.
"""

from __future__ import annotations

Row = tuple[str, str]

RESOURCES, ON_SANDBOX, RULES_2 = "test_2_resources", "test_2_sandbox", "test_2_sandbox_rules"
FIELDS = f"{RESOURCES}: test_field test_nothing_is_unknown test_payload_survives"

INDEX: dict[Row, tuple[str, ...]] = {
    ("2.1", "Id, ConcurrencyId, IsNew, PerformDeletion"): (
        f"{RESOURCES}: test_common_fields",
        f"{RULES_2}: test_flags_of_returned_entities",
        "test_4_sandbox: test_update_counts",
    ),
    ("2.1", "IsRemoved"): (
        f"{RESOURCES}: test_removable_entities",
        f"{RULES_2}: test_removable_entities",
        "test_4_sandbox: test_delete",
    ),
    ("2.1", "Money"): (f"{RESOURCES}: test_money_takes_currency_codes test_money_is_exact",),
    ("2.1", "datetimes"): (
        f"{RESOURCES}: test_local_and_utc_times",
        f"{RULES_2}: test_local_and_utc_times_are_one_moment test_times_read_back",
    ),
    ("2.1", "reference"): (f"{RESOURCES}: test_reference",),
    ("2.2", "entity types"): (
        f"{RESOURCES}: test_entity_type_has_a_class test_other_names",
        f"{RULES_2}: test_entity_types_are_known",
        "test_4_base: test_aliases_go_to_the_path_of_the_wire",
    ),
    ("2.3", "WorkOrder"): (
        FIELDS,
        f"{ON_SANDBOX}: test_work_order test_retrieved_scalars",
        f"{RULES_2}: test_the_contact_of_the_request test_task_refinement",
    ),
    ("2.3", "lists"): (
        f"{RESOURCES}: test_elements_of_a_work_order",
        f"{ON_SANDBOX}: test_lists_are_empty_on_creation",
    ),
    ("2.3", "item"): (FIELDS, f"{ON_SANDBOX}: test_items"),
    ("2.3", "custom field entry"): (FIELDS, f"{ON_SANDBOX}: test_custom_field_entry"),
    ("2.3", "note"): (f"{RESOURCES}: test_a_note_in_a_work_order", f"{RULES_2}: test_note"),
    ("2.4", "WorkOrderCost"): (FIELDS, f"{ON_SANDBOX}: test_work_order"),
    ("2.4", "AP statuses"): ("test_3_transitions: test_standard_statuses",),
    ("2.5", "WorkZone"): (FIELDS, f"{ON_SANDBOX}: test_work_order test_retrieved_scalars"),
    ("2.6", "Employee"): (FIELDS, f"{ON_SANDBOX}: test_work_order test_retrieved_scalars"),
    ("2.7", "Space"): (FIELDS, f"{ON_SANDBOX}: test_space"),
    ("2.8", "Asset"): (FIELDS, f"{ON_SANDBOX}: test_asset"),
    ("2.8", "AssetAttribute"): (FIELDS, f"{ON_SANDBOX}: test_asset_attribute"),
    ("2.9", "Document"): (
        FIELDS,
        f"{ON_SANDBOX}: test_document",
        "test_4_base: test_create_a_document",
        "test_3_states: test_a_link",
    ),
    ("2.10", "Address"): (
        f"{RESOURCES}: test_field test_address_in_a_command",
        f"{ON_SANDBOX}: test_address",
        "test_4_base: test_create_a_street_address",
    ),
    ("3", "state-bearing fields"): ("test_3_states: test_state test_states_that_are_not_shown",),
    ("3", "Cancelled"): ("test_3_transitions: test_cancelled_is_a_state",),
    ("3", "row 1: WoCreateCommand"): (
        "test_3_creation: test_a_new_work_order_has_its_first_states test_a_new_work_order_is_calculated",
        "test_3_creation: test_the_schedule_is_computed_when_asked_for",
        "test_3_creation: test_what_a_work_order_refers_to_must_exist test_the_client_creates_a_work_order",
    ),
    ("3", "row 2: SpaceCreateCommand"): (
        "test_3_creation: test_a_new_space_is_current test_the_template_is_applied",
        "test_3_creation: test_a_space_needs_its_customer test_the_client_creates_a_space",
    ),
    ("3", "row 3: SendWorkOrder"): (
        "test_3_transitions: test_an_order_of_a_provider_is_sent",
        "test_3_transitions: test_an_order_without_a_provider_is_not_sent test_the_client_sends_an_order",
    ),
    ("3", "row 4: VerifyWorkCommand"): (
        "test_3_transitions: test_verification_is_recorded test_only_completed_work_is_verified",
        "test_3_transitions: test_the_client_verifies_work",
    ),
    ("3", "row 5: ApStatusChangeCommand"): (
        "test_3_transitions: test_the_invoice_has_the_status test_an_invoice_goes_from_status_to_status",
        "test_3_transitions: test_the_client_changes_the_status",
    ),
    ("4.1", "discovery"): (
        "test_4_discovery: test_discovery test_the_discovered_host_is_the_base_url",
        "test_4_discovery: test_discovery_as_a_typed_command test_one_locator_per_region",
        "test_4_sandbox: test_discovery test_discovery_of_an_unknown_company",
        "test_5_authentication: test_the_host_is_asked_for_with_every_token",
    ),
    ("4.2", "command endpoint"): (
        "test_4_commands: test_what_a_command_sends test_every_command_has_its_own_request_id",
        "test_4_commands: test_any_command_can_be_called",
        "test_4_sandbox: test_request_id_comes_back",
    ),
    ("4.3", "WoCreateCommand"): (
        "test_4_commands: test_what_a_command_sends test_the_created_work_order",
        "test_4_commands: test_type_category_goes_out_as_an_integer",
    ),
    ("4.4", "SpaceCreateCommand"): (
        "test_4_commands: test_what_a_command_sends test_the_created_space test_customer_id_goes_out_as_text",
        "test_4_sandbox: test_customer_id_as_text_or_integer test_customer_id_is_required",
        "test_4_sandbox: test_a_unit_that_exists_is_reused test_an_unknown_template",
    ),
    ("4.5", "ApStatusChangeCommand"): ("test_4_commands: test_what_a_command_sends",),
    ("4.6", "SendWorkOrder"): ("test_4_commands: test_what_a_command_sends",),
    ("4.7", "VerifyWorkCommand"): ("test_4_commands: test_what_a_command_sends",),
    ("4.8", "WoCompleteCommand"): (
        "test_4_commands: test_what_a_command_sends",
        "test_4_sandbox: test_complete",
    ),
    ("4.9", "create"): (
        "test_4_base: test_create",
        "test_4_sandbox: test_create_and_retrieve test_the_client_does_the_same",
    ),
    ("4.9", "update"): (
        "test_4_base: test_update test_the_answer_of_an_update",
        "test_4_sandbox: test_update",
    ),
    ("4.9", "delete"): ("test_4_base: test_delete", "test_4_sandbox: test_delete"),
    ("4.9", "retrieve"): ("test_4_base: test_retrieve", "test_4_sandbox: test_create_and_retrieve"),
    ("4.9", "rule 1"): ("test_4_rules: test_flags_are_read_only test_the_client_on_flags",),
    ("4.9", "rule 2"): (
        "test_4_rules: test_attributes_are_not_deleted_on_their_own",
        "test_4_rules: test_attributes_are_changed_with_their_parent test_the_client_on_attributes",
    ),
    ("4.9", "rule 3"): (
        "test_4_rules: test_an_empty_list_removes_nothing test_the_client_does_not_send_an_empty_list",
    ),
    ("4.9", "rule 4"): ("test_4_rules: test_a_body_that_cannot_be_read",),
    ("4.9", "rule 5"): (
        "test_4_rules: test_documents_are_not_in_the_activity_log test_the_client_attaches_a_document",
    ),
    ("4.10", "answers that are not shown"): ("test_4_commands: test_results_that_are_not_shown",),
    ("5", "headers"): (
        "test_5_authentication: test_headers_of_every_call test_compressed_answers",
        "test_5_authentication: test_no_call_without_a_token test_no_call_without_a_company",
        "test_5_authentication: test_the_header_table_is_enough",
    ),
    ("5", "rule 1"): (
        "test_5_authentication: test_the_host_is_asked_for_with_every_token",
        "test_5_authentication: test_one_session_serves_many_calls test_tokens_expire",
        "test_5_authentication: test_the_client_outlives_its_token",
    ),
    ("5", "rule 2"): ("test_5_authentication: test_companies_have_their_own_headers test_wrong_credentials",),
    ("7", "error body"): ("test_7_errors: test_error_body test_error_body_of_the_sandbox",),
    ("7", "BUSINESS_LOGIC_ERROR: attribute outside its parent"): (
        "test_7_errors: test_attribute_outside_its_parent test_the_clients_exceptions",
    ),
    ("7", "BUSINESS_LOGIC_ERROR: sending fails"): (
        "test_7_errors: test_send_fails_in_the_provider_network test_the_client_on_a_failed_send",
    ),
    ("7", "ERROR_CODE_1000"): ("test_7_errors: test_unsupported_operation test_the_clients_exceptions",),
    ("7", "EMPTY_INPUT_PARAMETER"): (
        "test_7_errors: test_empty_input test_insufficient_status_change test_a_refusal_changes_nothing",
        "test_7_errors: test_the_client_on_an_insufficient_update",
    ),
}

NOT_SHOWN = {
    (
        "2.11",
        "gaps of fields",
    ): "nothing to be checked; the query of AssetInfo is in tests/test_operations.py",
    ("5", "rule 3"): "token endpoint and lifetime are not shown; facts 1 is tested in tests/transport",
    ("5", "rule 4"): "no permission model is shown",
    ("6", "events"): "not shown; facts 8 is tested in tests/test_webhooks.py",
}
"""Rows that state a gap, with what stands in for a case."""
