// A form to try an operation: an example that can be sent unchanged, and the response of the service.
import { get } from "./api.js";
import { h, option, say, trouble } from "./dom.js";
import { call, pretty } from "./service.js";

let company = null; // the chosen Company

// Returns the field to choose a Company; null if no Company may be seen
export function chosen(companies) {
  company = companies[0] ?? null;
  if (!company) return null;
  const select = h("select", { id: "company-choice" }, companies.map((one) => option(String(one.Id), one.Name)));
  select.addEventListener("change", () => { company = companies.find((one) => String(one.Id) === select.value); dispatchEvent(new Event("company")); });
  return h("label", null, "Company for requests ", select);
}

// Returns the form for a command, query or read. Other operations have no example that fits every Company.
export function trying(path, verb, operation) {
  const example = company && EXAMPLES.find(([pattern]) => pattern.test(`${verb} ${path}`))?.[1];
  if (!example) return null;
  const wrong = trouble();
  const address = h("input", { type: "text", class: "address", "aria-label": "Address", spellcheck: "false" });
  const body = h("textarea", { rows: "8", spellcheck: "false", "aria-label": "Body" });
  const note = h("p", { class: "quiet" });
  const output = h("div", { role: "status" });
  const button = h("button", { disabled: true }, "Send"); // disabled until there is an example to send
  const fill = () => { button.disabled = true; return example(path, operation).then(take, wrong.show); };
  const take = (found) => {
    wrong.clear();
    address.value = found.path;
    body.hidden = !found.body;
    body.value = found.body ? JSON.stringify(found.body, null, 2) : "";
    body.rows = Math.min(20, body.value.split("\n").length + 1);
    note.textContent = found.note;
    button.disabled = false;
  };
  const send = async (event) => {
    event.preventDefault();
    if (!address.value.startsWith("/api/")) return wrong.show(new Error(`The address is ${address.value ? `'${address.value}'` : "empty"}: enter a path of the service, such as ${path}.`));
    button.disabled = true;
    output.replaceChildren();
    try {
      const found = await call(company.Name, verb.toUpperCase(), address.value, body.value || undefined);
      wrong.clear();
      output.append(h("p", null, h("strong", { class: "status", "data-class": String(found.status).slice(0, 1) }, String(found.status)), ` ${found.milliseconds} ms, from ${company.Name}`),
        h("pre", { tabindex: "0", "aria-label": "Response of the service" }, pretty(found.text)));
      say(`The response is ${found.status}.`);
    } catch (error) {
      wrong.show(error);
    } finally {
      button.disabled = false;
    }
  };
  addEventListener("company", fill);
  fill();
  return h("section", { class: "try" }, h("h2", null, "Try it"),
    h("form", { onsubmit: send }, note, address, body, h("div", { class: "bar level" }, button, h("button", { type: "button", onclick: fill }, "New example"))),
    wrong.node, output);
}

const EXAMPLES = [
  [/^post \/api\/v1\/cmd\//, async (path, operation) => {
    const found = await get(`companies/${company.Id}/examples/${operation.operationId.slice(3)}`);
    return { path, body: found.Body, note: found.Note };
  }],
  [/^post \/api\/v1\/query\//, async (path) => ({ path, body: { QueryExpression: { PropertySet: { Properties: ["*"] }, Count: 5 } }, note: "" })],
  [/^get \/api\/v1\/base\//, async (path) => {
    const type = path.split("/")[4];
    const [first] = (await get(`companies/${company.Id}/types/${type}`)).Rows;
    return { path: path.replace("{id}", first?.Id ?? 1), note: first ? "" : `${company.Name} has no ${type}: create one first.` };
  }],
];
