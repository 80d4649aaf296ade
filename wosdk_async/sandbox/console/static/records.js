// Records of every entity type: the types, a list of one type, one record.
import { get } from "./api.js";
import { cut, facts, h, option, raw, say, shown, table, trouble } from "./dom.js";
import { address, linked, pager, referring, tabs } from "./pages.js";

export async function types(main, company, params) {
  const found = await get(`companies/${company}/types`);
  const list = h("div");
  const search = h("input", { id: "search", type: "search", value: params.get("text") ?? "", oninput: () => draw() });
  const empty = h("input", { id: "empty", type: "checkbox", role: "switch", onchange: () => draw() });
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = found.Types.filter((one) => (empty.checked || one.Count > 0) && words.every((word) => `${one.Name} ${one.Family} ${one.Meaning}`.toLowerCase().includes(word)));
    list.replaceChildren(table("Types of records", [
      ["Type", (one) => h("a", { class: "key", href: `#/companies/${company}/types/${one.Name}` }, one.Name)],
      ["Records", (one) => h("span", { class: "number" }, String(one.Count))],
      ["Family", (one) => one.Family.replaceAll("_", " ")],
      ["Meaning", (one) => one.Meaning],
    ], rows, "No type matches."));
    say(`${rows.length} of ${found.Types.length} types.`);
  };
  main.append(tabs(company, found.Company, "All records"), h("h1", null, `Records of ${found.Company}`),
    h("form", { role: "search", class: "bar level", onsubmit: (event) => event.preventDefault() },
      h("label", null, "Search types", search), h("label", { class: "switch" }, empty, " Include types without records")), list);
  draw();
}

export async function records(main, company, type, params) {
  const base = `#/companies/${company}/types/${type}`, wrong = trouble();
  const load = (query) => get(`companies/${company}/types/${type}?${query}`);
  const found = await load(params).catch(async (error) => { // for a wrong value, keep the form, with the error beside it
    const all = await load(new URLSearchParams());
    wrong.show(error);
    return { ...all, Rows: [], More: false };
  });
  const key = (row) => found.Opened ? h("a", { class: "key", href: address(company, found.Type, row.Id) }, `Id ${row.Id}`) : row.Id;
  main.append(tabs(company, found.Company, ""), h("h1", null, `${found.Type} of ${found.Company}`),
    h("p", { class: "quiet" }, found.Meaning),
    params.get("by") ? h("p", null, `Records that refer to ${(params.get("to") ?? "").replace(":", " ")} by ${params.get("by").replace(/\.Id$/, "")}. `, h("a", { href: base }, "Show all")) : "",
    filters(base, found, params), wrong.node,
    table(`${found.Type}, page ${found.Page + 1}`, [
      ["Record", key],
      ...found.Columns.map(({ Name: name, Type: target }) => [name, (row) => target ? linked(company, target, row[name]) : cut(row[name])]),
    ], found.Rows, params.get("value") || found.Page ? "No record matches." : "No records."),
    pager(base, params, found, ["Previous", "Next", "First"]));
  say(`${found.Rows.length} ${found.Rows.length === 1 ? "record" : "records"} on page ${found.Page + 1}.`);
}

function filters(base, found, params) {
  const select = (id, options, chosen) => h("select", { id }, options.map(([value, label]) => option(value, label, value === chosen)));
  const plain = (names) => names.map((name) => [name, name]);
  const parts = {
    field: select("field", [...(found.Texts ? [["", "any text"]] : []), ...plain(found.Fields)], params.get("field") ?? ""),
    operator: select("operator", plain(found.Operators), params.get("operator") ?? found.Operators[0]),
    value: h("input", { id: "value", type: "search", value: params.get("value") ?? "" }),
    sort: select("sort", plain(found.Sorts), params.get("sort") ?? "Id"),
    direction: select("direction", plain(["descending", "ascending"]), params.get("direction") ?? "descending"),
  };
  const go = (event) => {
    event.preventDefault();
    const query = new URLSearchParams(Object.entries(parts).map(([name, part]) => [name, part.value]).filter(([, value]) => value));
    for (const name of ["by", "to"]) if (params.get(name)) query.set(name, params.get(name));
    const next = `${base}?${query}`;
    if (location.hash === next) dispatchEvent(new Event("hashchange")); // the same query: run it again
    else location.hash = next;
  };
  return h("form", { role: "search", class: "bar", onsubmit: go },
    h("label", null, "Field", parts.field), h("label", null, "Comparison", parts.operator), h("label", null, "Value", parts.value),
    h("label", null, "Sort by", parts.sort), h("label", null, "Direction", parts.direction), h("button", null, "Show"));
}

export async function record(main, company, type, key) {
  const found = await get(`companies/${company}/types/${type}/${key}`);
  main.append(tabs(company, found.Company, ""),
    h("p", { class: "back" }, h("a", { href: `#/companies/${company}/types/${found.Type}` }, `← ${found.Type} of ${found.Company}`)),
    h("h1", null, `${found.Type} ${key} `, h("small", null, found.Label)),
    h("p", { class: "quiet" }, found.Meaning),
    facts(Object.entries(found.Fields).map(([name, value]) => [name, linked(company, found.Types[name], value)])),
    ...Object.entries(found.Lists).map(([name, rows]) => h("section", null, h("h2", null, name), list(company, name, found.Types[name], rows))),
    h("section", null, h("h2", null, "Refers to"), table("Refers to", [
      ["By", (one) => one.Path.replace(/\.Id$/, "")], ["Type", (one) => one.Type],
      ["Record", (one) => h("a", { href: address(company, one.Type, one.Id) }, one.Label ? `${one.Label} (${one.Id})` : `Id ${one.Id}`)],
    ], found.RefersTo, "Nothing.")),
    h("section", null, h("h2", null, "Referred to by"), referring(company, found.Type, key, found.ReferredBy)),
    raw(found.Raw));
}

const OMITTED = /^(PerformDeletion|IsNew|ConcurrencyId|Id|IsRemoved)$/;

function list(company, name, type, rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((each) => !OMITTED.test(each)).slice(0, 6);
  return table(name, [
    ["Record", (row) => type && row.Id ? h("a", { href: address(company, type, row.Id) }, `Id ${row.Id}`) : shown(row.Id)],
    ...names.map((each) => [each, (row) => cut(row[each])]),
  ], rows);
}
