// The JSON below /console/api/.

export async function get(path) {
  return answer(await fetch(`/console/api/${path}`));
}

export async function send(method, path, body) {
  return answer(await fetch(`/console/api/${path}`, {
    method,
    headers: { "X-Sandbox-Console": "1", "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }));
}

async function answer(reply) {
  const body = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(body.ErrorMessage || `The sandbox answered ${reply.status}.`);
  return body;
}
