import { get } from "./api.js";
import { facts, h, say, shown, state, table } from "./dom.js";

export async function companies(main) {
  const found = (await get("companies")).Companies;
  main.append(h("h1", null, "Companies"), table("Companies of this store", [
    ["Name", (one) => h("a", { href: `#/companies/${one.Id}` }, one.Name)],
    ["Kind", (one) => h("span", { class: "state", "data-state": one.Live ? "live" : "" }, one.Live ? "live" : "non-live")],
    ["Id", (one) => one.Id],
    ["Client id", (one) => h("code", null, one.ClientId)],
    ["Client secret", () => h("span", { class: "quiet" }, "masked")],
    ...Object.keys(found[0]?.Counts ?? {}).map((name) => [name, (one) => h("span", { class: "number" }, String(one.Counts[name]))]),
  ], found));
}

export async function orders(main, company, asked) {
  const wanted = new URLSearchParams();
  for (const name of ["state", "text", "page"]) if (asked.get(name)) wanted.set(name, asked.get(name));
  const found = await get(`companies/${company}/orders?${wanted}`);
  main.append(
    back("#/companies", "Companies"),
    h("h1", null, "Work orders"),
    filters(company, found.States, asked),
    table("Work orders, the newest first", [
      ["Number", (one) => h("a", { class: "key", href: `#/companies/${company}/orders/${one.Id}` }, one.Number || `Id ${one.Id}`)],
      ["State", (one) => state(one.StatusId)],
      ["Task", (one) => one.TaskRefinement],
      ["Where", (one) => one.ShortLocation],
      ["Customer", (one) => one.Customer?.Name],
      ["Priority", (one) => one.Priority?.DisplayAs],
      ["PO", (one) => one.PoNumber],
      ["Last action (UTC)", (one) => time(one.LastActionDateUtc)],
    ], found.Orders, "No work order fits."),
    pager(company, asked, found));
  say(`${found.Orders.length} work ${found.Orders.length === 1 ? "order" : "orders"} on page ${found.Page + 1}.`);
}

function filters(company, states, asked) {
  const select = h("select", { id: "state", name: "state" },
    h("option", { value: "" }, "any"),
    states.map((name) => h("option", { value: name, selected: name === asked.get("state") }, name)));
  const text = h("input", { id: "text", name: "text", type: "search", value: asked.get("text") ?? "", placeholder: "number, place, task, customer" });
  const go = (event) => {
    event.preventDefault();
    const query = new URLSearchParams(Object.entries({ state: select.value, text: text.value }).filter(([, value]) => value));
    location.hash = `#/companies/${company}?${query}`;
  };
  select.addEventListener("change", go);
  return h("form", { role: "search", onsubmit: go, class: "bar" },
    h("label", null, "State ", select), h("label", null, "Text ", text), h("button", null, "Filter"));
}

function pager(company, asked, found) {
  const link = (page, text) => {
    const query = new URLSearchParams(asked);
    query.set("page", page);
    return h("a", { href: `#/companies/${company}?${query}`, class: "button" }, text);
  };
  return h("nav", { "aria-label": "Pages of the list", class: "bar" },
    found.Page > 0 ? link(found.Page - 1, "Newer") : null,
    h("span", { class: "quiet" }, `Page ${found.Page + 1}`),
    found.More ? link(found.Page + 1, "Older") : null);
}

export async function order(main, company, key) {
  const found = await get(`companies/${company}/orders/${key}`);
  const fields = found.Fields;
  main.append(
    back(`#/companies/${company}`, "Work orders"),
    h("h1", null, `Work order ${fields.Number || key} `, state(fields.StatusId)),
    h("section", null, h("h2", null, "Items"), table("Items", [
      ["Asset", (item) => item.Asset], ["Task", (item) => item.Task], ["Comment", (item) => item.Comment],
    ], found.Items)),
    h("section", null, h("h2", null, "Notes"), table("Notes", [
      ["Text", (note) => note.Body ?? note.NoteText ?? note.Text], ["By", (note) => note.CreatedBy], ["At", (note) => note.CreatedAt ?? note.CreatedDate],
    ], found.Notes)),
    h("section", null, h("h2", null, "History"), table("History, the newest first", [
      ["When", (entry) => time(entry.SystemDateUtc)], ["Action", (entry) => entry.TypeId],
      ["By", (entry) => entry.Actor?.DisplayAs], ["Comment", (entry) => entry.Comment],
    ], found.History.reverse())),
    h("section", null, h("h2", null, "Documents"), table("Documents", [
      ["Title", (one) => one.Title], ["Kind", (one) => one.MimeType], ["Address", (one) => h("code", null, shown(one.DocUrl))],
    ], found.Documents)),
    h("section", null, h("h2", null, "Fields"), facts(Object.entries(fields))));
}

function back(href, text) {
  return h("p", { class: "back" }, h("a", { href }, `← ${text}`));
}

function time(written) {
  return written ? h("time", { datetime: written }, written.replace("T", " ").replace(/(\.\d+)?Z?$/, "")) : null;
}
