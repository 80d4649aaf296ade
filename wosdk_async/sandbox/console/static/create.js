// A new work order, made with WoCreateCommand.
import { get } from "./api.js";
import { h, option, say, trouble } from "./dom.js";
import { tabs } from "./pages.js";
import { run } from "./service.js";

const MEMBERS = { Customer: "Customer", Asset: "Asset", Task: "Task", SubType: "Type", Priority: "Priority" };

export async function create(main, company) {
  const found = await get(`companies/${company}/choices`);
  const example = (await get(`companies/${company}/examples/WoCreateCommand`)).Body.Command.WorkOrder;
  const lacking = Object.keys(MEMBERS).filter((name) => name !== "Priority" && !found.Choices[name].length);
  main.append(tabs(company, found.Company, "Create"), h("h1", null, `Create a work order of ${found.Company}`));
  if (lacking.length) {
    main.append(h("p", { class: "quiet" }, `${found.Company} has no records for: ${lacking.map((name) => MEMBERS[name]).join(", ")}. Add some with wosdk sandbox seed, or add a Company without --empty.`));
    return;
  }
  const wrong = trouble();
  const proposed = { ...example, Asset: example.Items?.[0].Asset, Task: example.Items?.[0].Task };
  const selects = Object.fromEntries(Object.keys(MEMBERS).map((name) => [name, h("select", { id: name },
    name === "Priority" ? option("", "the task's priority") : null,
    found.Choices[name].map((one) => option(String(one.Id), one.Label, one.Id === proposed[name]?.Id)))]));
  const contact = h("input", { id: "contact", type: "text", maxlength: "64" });
  const comment = h("input", { id: "comment", type: "text", maxlength: "500" });
  const schedule = h("input", { id: "schedule", type: "checkbox", role: "switch", checked: true });
  const button = h("button", null, "Create");
  const reference = (name) => ({ Id: Number(selects[name].value) });
  const send = async (event) => {
    event.preventDefault();
    const category = found.Choices.SubType.find((one) => String(one.Id) === selects.SubType.value).Type;
    const order = { TypeCategory: category, SubType: reference("SubType"), Customer: reference("Customer"), Items: [{ Asset: reference("Asset"), Task: reference("Task") }] };
    if (selects.Priority.value) order.Priority = reference("Priority");
    if (contact.value) order.ContactName = contact.value;
    const members = { WorkOrder: order, ComputeSchedule: schedule.checked };
    if (comment.value) members.Comment = comment.value;
    button.disabled = true;
    try {
      const { Wo: made } = await run(found.Company, "WoCreateCommand", members);
      addEventListener("shown", () => say(`Work order ${made.Number} was created.`), { once: true });
      location.hash = `#/companies/${company}/orders/${made.Id}`;
    } catch (error) {
      wrong.show(error);
    } finally {
      button.disabled = false;
    }
  };
  main.append(h("form", { class: "bar", onsubmit: send },
    Object.entries(MEMBERS).map(([name, title]) => h("label", null, title, selects[name])),
    h("label", null, "Contact", contact), h("label", null, "Comment", comment),
    h("label", { class: "switch" }, schedule, " Compute the due date"), button), wrong.node,
    h("p", { class: "quiet" }, "Sent as WoCreateCommand, as by any client: faults apply, and the request is logged."));
}
