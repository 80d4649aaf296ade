import { get, send } from "./api.js";
import { cut, h, say, shown, state, table, trouble } from "./dom.js";
import { pager, tabs } from "./pages.js";

export async function companies(main) {
  const found = (await get("companies")).Companies;
  main.append(h("h1", null, "Companies"), table("Companies of this store", [
    ["Name", (one) => h("a", { href: `#/companies/${one.Id}` }, one.Name)],
    ["Kind", (one) => h("span", { class: "state", "data-state": one.Live ? "live" : "" }, one.Live ? "live" : "non-live")],
    ["Verification", (one) => verification(one)],
    ["Id", (one) => one.Id],
    ["Client id", (one) => h("code", null, one.ClientId)],
    ["Client secret", () => h("span", { class: "quiet" }, "masked")],
    ...Object.keys(found[0]?.Counts ?? {}).map((name) => [name, (one) => h("a", { class: "number", href: name === "WorkOrder" ? `#/companies/${one.Id}` : `#/companies/${one.Id}/types/${name}` }, String(one.Counts[name]))]),
    ["All", (one) => h("a", { href: `#/companies/${one.Id}/types` }, "all records")],
  ], found));
}

function verification(company) {
  const wrong = trouble();
  const label = h("span", null, company.Verification ? "on" : "off");
  const box = h("input", { type: "checkbox", checked: company.Verification, "aria-label": `Verification of ${company.Name}` });
  box.addEventListener("change", async () => {
    wrong.clear();
    try {
      await send("PUT", `companies/${company.Id}`, { verification: box.checked });
      label.textContent = box.checked ? "on" : "off";
      say(`Verification of ${company.Name} is ${label.textContent}.`);
    } catch (error) {
      box.checked = !box.checked;
      wrong.show(error);
    }
  });
  return h("label", null, box, " ", label, wrong.node);
}

export async function orders(main, company, params) {
  const wanted = new URLSearchParams();
  for (const name of ["state", "text", "page"]) if (params.get(name)) wanted.set(name, params.get(name));
  const wrong = trouble();
  const load = (query) => get(`companies/${company}/orders?${query}`);
  const found = await load(wanted).catch(async (error) => { // for a wrong value, keep the form, with the error beside it
    const all = await load("");
    wrong.show(error);
    return { ...all, Orders: [], More: false };
  });
  const narrowed = params.get("state") || params.get("text") || found.Page;
  const empty = narrowed ? "No work order matches." : h("span", null, `${found.Company} has no work order yet. `, h("a", { href: `#/companies/${company}/create` }, "Create one"), ", or let a program do it.");
  main.append(
    tabs(company, found.Company, "Work orders"),
    h("h1", null, `Work orders of ${found.Company}`),
    filters(company, found.States, params), wrong.node,
    table("Work orders, newest first", [
      ["Number", (one) => h("a", { class: "key", href: `#/companies/${company}/orders/${one.Id}` }, one.Number || `Id ${one.Id}`)],
      ["State", (one) => state(one.StatusId)],
      ["Task", (one) => cut(one.TaskRefinement)],
      ["Where", (one) => cut(one.ShortLocation)],
      ["Customer", (one) => cut(one.Customer?.Name)],
      ["Priority", (one) => one.Priority?.DisplayAs],
      ["PO", (one) => one.PoNumber?.length <= 12 ? h("span", { class: "key" }, one.PoNumber) : cut(one.PoNumber, 30)],
      ["Last action", (one) => shown(one.LastActionDateUtc)],
    ], found.Orders, empty),
    pager(`#/companies/${company}`, params, found, ["Newer", "Older", "Newest"]));
  say(`${found.Orders.length} work ${found.Orders.length === 1 ? "order" : "orders"} on page ${found.Page + 1}.`);
}

function filters(company, states, params) {
  const select = h("select", { id: "state", name: "state" },
    h("option", { value: "" }, "any"),
    states.map((name) => h("option", { value: name, selected: name === params.get("state") }, name)));
  const text = h("input", { id: "text", name: "text", type: "search", value: params.get("text") ?? "", placeholder: "number, place, task, customer" });
  const go = (event) => {
    event.preventDefault();
    const query = new URLSearchParams(Object.entries({ state: select.value, text: text.value }).filter(([, value]) => value));
    const next = `#/companies/${company}?${query}`;
    if (location.hash === next) dispatchEvent(new Event("hashchange")); // the same query: run it again
    else location.hash = next;
  };
  select.addEventListener("change", go);
  return h("form", { role: "search", onsubmit: go, class: "bar" },
    h("label", null, "State ", select), h("label", null, "Text ", text), h("button", null, "Filter"));
}
