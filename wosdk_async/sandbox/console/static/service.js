// Requests to the service itself, with a token for the Company's credentials, as any client sends them. Faults apply to
// them, and they are logged.
import { Gone, reachable, RESTART } from "./api.js";

const tokens = new Map(); // Company name -> token

export class Refused extends Error {}

export async function call(company, method, path, body) {
  if (!await reachable()) throw new Gone(`Nothing was sent: the sandbox does not respond. ${RESTART}, and send this again.`);
  if (!tokens.has(company)) await login(company);
  const first = await send(company, method, path, body);
  if (!["EXPIRED_TOKEN", "INCORRECT_TOKEN"].includes(first.body?.ErrorCode)) return first;
  await login(company); // a refused request was not carried out, so a retry is safe
  return send(company, method, path, body);
}

// Runs a command, and returns its result
export async function run(company, command, members) {
  const found = await call(company, "POST", `/api/v1/cmd/${command}`, JSON.stringify({ Command: members }));
  if (found.status === 200) return found.body.CommandResult;
  const { ErrorCode: code, ErrorMessage: text } = found.body ?? {};
  const next = code === "ERROR_CODE_6" ? " Reload the page to see the current state." : "";
  throw new Refused(text ? `${code}: ${text}${next}` : `The response is ${found.status}: it is not known whether the command was carried out.`);
}

const NOTHING = "No token: the connection ended without a response. Nothing was sent to the service.";

async function login(company) {
  const companies = await reached(fetch("/_sandbox/companies"), NOTHING);
  const listed = await companies.json().catch(() => ({}));
  const known = listed.Companies?.find((one) => one.Name === company)?.Variables;
  if (!known) throw new Error(listed.ErrorMessage ?? `There is no Company ${company}.`);
  const form = { grant_type: "client_credentials", client_id: known.WOSDK_CLIENT_ID, client_secret: known.WOSDK_CLIENT_SECRET };
  const response = await reached(fetch("/OAuth/token", { method: "POST", body: new URLSearchParams(form) }), NOTHING);
  const granted = await response.json().catch(() => ({}));
  if (!granted.access_token) throw new Error(`No token: the response is ${response.status} ${granted.error ?? granted.ErrorCode ?? ""}. Nothing was sent to the service.`);
  tokens.set(company, granted.access_token);
}

async function send(company, method, path, body) {
  const headers = { Authorization: `Bearer ${tokens.get(company)}`, CompanyName: company };
  if (body) headers["Content-Type"] = "application/json";
  const began = performance.now();
  const doubt = "The connection ended before the response was complete: it is not known whether the request was carried out.";
  const response = await reached(fetch(path, { method, headers, body }), doubt);
  const text = await reached(response.text(), doubt);
  let found = null;
  try { found = JSON.parse(text); } catch { /* shown as it is */ }
  return { status: response.status, text, body: found, milliseconds: Math.round(performance.now() - began) };
}

async function reached(promise, otherwise) {
  try { return await promise; } catch {
    throw await reachable() ? new Error(otherwise) : new Error(`${otherwise} The sandbox no longer responds. ${RESTART}, and check the result before you send this again.`);
  }
}

// Indents JSON. Numbers keep all their digits.
export function pretty(text) {
  try {
    const exact = (_name, value, from) => typeof value === "number" && from?.source && JSON.rawJSON ? JSON.rawJSON(from.source) : value;
    return JSON.stringify(JSON.parse(text, exact), null, 2);
  } catch { return text; }
}
