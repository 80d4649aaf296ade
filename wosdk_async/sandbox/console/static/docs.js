// The OpenAPI document as a page: operations by family. The bodies of an operation are drawn when it is opened.
import { get } from "./api.js";
import { aboutAll, h, say } from "./dom.js";
import { chosen, trying } from "./tryit.js";

const main = document.getElementById("main");
const DEPTH = 2; // levels of a body that are drawn; below them, references are shown by name

async function show() {
  const api = await (await fetch("/openapi.json")).json();
  const operations = Object.entries(api.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })));
  const companies = await get("companies").then((found) => found.Companies, () => []); // other machines get no Companies: they may only read the page
  if (companies.length) aboutAll(companies);
  const list = h("div", { class: "docs" });
  const search = h("input", { id: "search", type: "search", placeholder: "work order, query, WoCreate", oninput: () => draw() });
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = operations.filter(({ path, verb, operation }) => words.every((word) => `${verb} ${path} ${operation.tags} ${operation.operationId} ${operation.summary ?? ""}`.toLowerCase().includes(word)));
    list.replaceChildren(...(found.length ? groups(api, found, words.length > 0) : [h("p", { class: "quiet" }, "No operation matches.")]));
    say(`${counted(found)}.`);
  };
  main.append(
    h("h1", null, "API"),
    h("p", null, api.info.description.replaceAll("`", "")),
    h("p", null, h("a", { href: "/openapi.json" }, "/openapi.json"), ` · OpenAPI ${api.openapi} · ${operations.length} operations, ${Object.keys(api.components.schemas).length} schemas`),
    h("p", { class: "quiet" }, api.components.responses.Refused.description.replace(/^Refused\. /, "")),
    h("form", { role: "search", class: "bar", onsubmit: (event) => event.preventDefault() }, h("label", null, "Search ", search), chosen(companies)),
    list);
  draw();
}

function groups(api, operations, open) {
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0]);
  return api.tags.filter(({ name }) => byTag.has(name)).map(({ name }) => {
    const rows = byTag.get(name);
    return h("details", { open: open && rows.length <= 40 },
      h("summary", null, h("strong", null, name.replaceAll("_", " ")), h("span", { class: "quiet" }, counted(rows))),
      rows.map((row) => line(api, row)));
  });
}

function line(api, { path, verb, operation }) {
  const node = h("details", { ontoggle: () => node.open && node.children.length === 1 && node.append(...body(api, path, verb, operation)) },
    h("summary", null, h("span", { class: "method" }, verb.toUpperCase()), " ", h("code", null, path), h("span", { class: "quiet" }, operation.summary ?? "")));
  return node;
}

function body(api, path, verb, operation) {
  const parameters = (operation.parameters ?? []).map((one) => resolve(api, one));
  const sent = Object.entries(resolve(api, operation.requestBody)?.content ?? {});
  const responses = Object.entries(operation.responses).filter(([status]) => status === "200");
  return [
    operation.description ? h("p", null, operation.description) : null,
    parameters.length ? h("p", null, "Parameters: ", parameters.map((one) => `${one.name} (${one.in})`).join(", ")) : null,
    trying(path, verb, operation),
    ...sent.map(([type, { schema }]) => part(`Request, ${type}`, api, schema)),
    ...responses.map(([, response]) => part("Response", api, resolve(api, response).content["application/json"].schema)),
  ].filter(Boolean);
}

function part(title, api, schema) {
  return h("section", null, h("h2", null, title), h("pre", { tabindex: "0", "aria-label": title }, typeText(api, schema, "", DEPTH)));
}

function resolve(api, schema) {
  if (!schema?.$ref) return schema;
  return schema.$ref.slice(2).split("/").reduce((found, name) => found[name], api);
}

function typeText(api, schema, indent, depth) {
  const seen = resolve(api, schema);
  const members = fields(api, seen);
  if (!members.length) return named(api, schema);
  if (depth < 0) return named(api, schema);
  const lines = members.map(([name, member, required]) => {
    const comment = member.description ? `  // ${member.description}` : "";
    const inner = member.type === "array" ? `[${typeText(api, member.items, `${indent}  `, depth - 1)}]` : typeText(api, member, `${indent}  `, depth - 1);
    return `${indent}  ${name}${required ? "*" : ""}: ${inner}${comment}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function fields(api, schema) {
  const inherited = (schema.allOf ?? []).flatMap((each) => fields(api, resolve(api, each)));
  const own = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, member, schema.required?.includes(name)]);
  return [...new Map([...inherited, ...own].map((each) => [each[0], each])).values()];
}

function named(api, schema) {
  if (schema.$ref) {
    const seen = resolve(api, schema);
    const names = seen.anyOf?.find((each) => each.enum)?.enum;
    return names ? names.slice(0, 12).join(" | ") + (names.length > 12 ? " | …" : "") : schema.$ref.split("/").pop();
  }
  if (schema.anyOf) return schema.anyOf.map((each) => named(api, each)).join(" | ");
  if (schema.const) return JSON.stringify(schema.const);
  return [schema.type ?? "any"].flat().join(" | ");
}

show().catch((error) => main.append(h("p", { class: "error", role: "alert" }, error.message)));

function counted(rows) {
  return `${rows.length} ${rows.length === 1 ? "operation" : "operations"}`;
}
