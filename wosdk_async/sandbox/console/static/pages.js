// Parts that several pages of a Company share.
import { about, h, shown } from "./dom.js";

// Returns links to the pages of a Company, and shows its name in the header
export function tabs(company, name, here) {
  about(name, company);
  const link = (path, text) => h("a", { href: `#/companies/${company}${path}`, "aria-current": text === here ? "page" : null }, text);
  return h("nav", { class: "tabs", "aria-label": `Pages of ${name}` },
    h("a", { href: "#/companies" }, "Companies"), " › ", h("strong", null, name),
    link("", "Work orders"), link("/create", "Create"), link("/types", "All records"));
}

// Returns the address of a record. Work orders have their own page.
export function address(company, type, id) {
  return type === "WorkOrder" ? `#/companies/${company}/orders/${id}` : `#/companies/${company}/types/${type}/${id}`;
}

// Returns a reference as a link to its record, and any other value as text
export function linked(company, type, value) {
  if (!type || typeof value?.Id !== "number" || value.Id <= 0) return shown(value);
  return h("a", { href: address(company, type, value.Id) }, shown(value));
}

export function pager(base, params, found, [before, after, first]) {
  if (!found.Page && !found.More) return "";
  const link = (page, text) => {
    const query = new URLSearchParams(params);
    query.set("page", page);
    return h("a", { href: `${base}?${query}`, class: "button" }, text);
  };
  return h("nav", { "aria-label": "Pages of the list", class: "bar level" },
    found.Page > 1 ? link(0, first) : null,
    found.Page > 0 ? link(found.Page - 1, before) : null,
    h("span", { class: "quiet" }, `Page ${found.Page + 1}`),
    found.More ? link(found.Page + 1, after) : null);
}

// Returns links to lists of the records that refer to a record
export function referring(company, type, id, rows) {
  if (!rows.length) return h("p", { class: "quiet" }, "Nothing.");
  return h("ul", { class: "links" }, rows.map((one) => h("li", null,
    h("a", { href: `#/companies/${company}/types/${one.Type}?${new URLSearchParams({ by: one.Path, to: `${type}:${id}` })}` }, one.Type),
    h("span", { class: "quiet" }, ` by ${one.Path.replace(/\.Id$/, "")}: ${one.More ? `more than ${one.Count}` : one.Count}`))));
}
