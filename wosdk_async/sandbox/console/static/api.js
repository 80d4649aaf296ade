// The JSON below /console/api/, and the banner that is shown while the sandbox does not respond.

const RETRY = 2000; // milliseconds

export class Gone extends Error {}

export function get(path) {
  return ask(path);
}

export function send(method, path, body) {
  return ask(path, {
    method,
    headers: { "X-Sandbox-Console": "1", "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(`/console/api/${path}`, options);
  } catch {
    lost();
    throw new Gone("The sandbox does not respond.");
  }
  back();
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.ErrorMessage || `The sandbox responded with ${response.status}.`);
  return body;
}

const banner = document.getElementById("gone");
let retry = null;

function lost() {
  if (!banner.textContent) banner.textContent = "The sandbox does not respond: it has ended, or cannot be reached. The page shows old data, and updates itself when the sandbox is back.";
  document.body.toggleAttribute("data-gone", true);
  retry ??= setTimeout(() => { retry = null; get("clock").catch(() => {}); }, RETRY);
}

function back() {
  if (!banner.textContent) return;
  banner.textContent = "";
  document.body.toggleAttribute("data-gone", false);
  dispatchEvent(new Event("back"));
}
