// One work order: its summary, the actions that its state allows, and all of its data.
import { get } from "./api.js";
import { facts, h, option, raw, say, shown, state, table, trouble } from "./dom.js";
import { linked, referring, tabs } from "./pages.js";
import { run } from "./service.js";

export async function order(main, company, key) {
  const found = await get(`companies/${company}/orders/${key}`);
  const fields = found.Fields, to = (name, value) => linked(company, found.Types[name] ?? name, value);
  const history = found.History.reverse();
  main.append(
    tabs(company, found.Company, ""),
    h("h1", null, `Work order ${fields.Number || key} `, state(fields.StatusId)),
    summary(found, history[0], to),
    actions(found, key),
    section("Items", table("Items", [
      ["Asset", (item) => linked(company, "Location", item.Asset)], ["Task", (item) => linked(company, "Task", item.Task)], ["Comment", (item) => text(item.Comment)],
    ], found.Items)),
    section("Notes", table("Notes", [
      ["At", (note) => note.CreatedAt ?? note.CreatedDate], ["By", (note) => note.CreatedBy?.DisplayAs ?? note.CreatedBy], ["Text", (note) => text(note.Body)],
    ], found.Notes)),
    section("History", table("History, newest first", [
      ["When", (entry) => entry.SystemDateUtc], ["Action", (entry) => entry.TypeId], ["By", (entry) => entry.Actor?.DisplayAs],
      ["Reason", (entry) => entry.Reason], ["Comment", (entry) => text(entry.Comment)],
    ], history)),
    section("Documents", table("Documents", [
      ["Title", (one) => one.Title], ["Kind", (one) => one.MimeType], ["Address", (one) => h("code", null, shown(one.DocUrl))],
    ], found.Documents)),
    section("Referred to by", referring(company, "WorkOrder", key, found.ReferredBy)),
    h("details", { class: "raw" }, h("summary", null, "All fields"), facts(Object.entries(fields).map(([name, value]) => [name, to(name, value)]))),
    raw(found.Raw));
}

function section(title, ...parts) {
  return h("section", null, h("h2", null, title), ...parts);
}

// Text that people wrote keeps its line breaks
function text(value) {
  return value ? h("span", { class: "text" }, value) : value;
}

function summary({ Fields: fields }, last, to) {
  const place = [fields.ShortLocation, fields.WorkZone?.DisplayAs].filter(Boolean).join(", ");
  const happened = last ? h("span", null, `${last.TypeId} by ${last.Actor?.DisplayAs ?? "–"}, `, shown(last.SystemDateUtc), last.Reason ? `, ${last.Reason}` : "", last.Comment ? h("bdi", null, `: “${last.Comment}”`) : "") : "–";
  return h("section", { "aria-label": "Summary" }, facts([
    ["State", state(fields.StatusId)],
    ["Priority", to("Priority", fields.Priority)],
    ["Place", fields.MainAsset ? to("MainAsset", { Name: place, Id: fields.MainAsset.Id }) : place],
    ["Customer", to("Customer", fields.Customer)],
    ["Assignee", fields.Employee ? to("Employee", fields.Employee) : "nobody"],
    ["Due", fields.DueDateUtc ?? fields.DtDue ?? "no date"],
    ["Created", fields.CreatedDateUtc ?? fields.DtCreated],
    ["Contact", fields.ContactName],
    ["PO", fields.PoNumber],
    ["Flag", fields.Flag ? to("Flag", fields.Flag) : "none"],
  ]), h("dl", { class: "wide" }, h("div", null, h("dt", null, "Task"), h("dd", null, shown(fields.TaskRefinement))), h("div", null, h("dt", null, "Last action"), h("dd", { class: "text" }, happened))));
}

function actions(found, key) {
  const wrong = trouble(), offered = found.Actions;
  const action = h("select", { id: "action" }, offered.map((one) => option(one.Command, one.Title)));
  const reason = h("select", { id: "reason" }), assignee = h("select", { id: "assignee" });
  const labels = { reason: h("label", null, "Reason", reason), assignee: h("label", null, "Assignee", assignee) };
  const comment = h("input", { id: "comment", type: "text", maxlength: "500" });
  const button = h("button", null, "Send");
  const chosen = () => offered.find((one) => one.Command === action.value);
  const fill = (select, label, rows) => {
    label.hidden = !rows;
    select.replaceChildren(...(rows ?? []).map((one) => option(String(one.Id), one.Label)));
  };
  const choose = () => { fill(reason, labels.reason, chosen()?.Reasons); fill(assignee, labels.assignee, chosen()?.Assignees); };
  action.addEventListener("change", choose);
  choose();
  const send = async (event) => {
    event.preventDefault();
    const { Command: command, Title: title, Reasons: reasons, Assignees: people } = chosen();
    const members = { WorkOrderId: Number(key), ConcurrencyId: found.Fields.ConcurrencyId };
    if (comment.value) members.Comment = comment.value;
    if (reasons) members.ActionReasonId = Number(reason.value);
    if (people) Object.assign(members, { Assignees: [Number(assignee.value)], Mode: "Primary" });
    button.disabled = true;
    try {
      const { Wo: order } = await run(found.Company, command, members);
      wrong.clear();
      dispatchEvent(new Event("hashchange")); // reloads the page with the order's new state
      addEventListener("shown", () => say(`${title}: the order is ${order.StatusId}.`), { once: true });
    } catch (error) {
      wrong.show(error);
    } finally {
      button.disabled = false;
    }
  };
  return h("section", { "aria-label": "Actions" }, h("h2", null, "Actions"),
    h("form", { class: "bar", onsubmit: send }, h("label", null, "Action", action), labels.reason, labels.assignee, h("label", null, "Comment", comment), button), wrong.node,
    h("p", { class: "quiet" }, "The actions that the state allows, sent as by any client: faults apply, and the request is logged."));
}
