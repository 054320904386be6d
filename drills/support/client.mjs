import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';

const PATIENCE_MS = 10_000;
const agents = new Map();

function agentOf(origin) {
  if (!agents.has(origin)) agents.set(origin, new Agent({ keepAlive: true, scheduling: 'fifo' }));
  return agents.get(origin);
}

/** One request. Never rejects: an answer that does not come has the status 0, and its `text` says why. */
export function ask(origin, method, path, { key, body, repeatable, agent = agentOf(origin) } = {}) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(repeatable && { 'idempotency-key': repeatable === true ? randomUUID() : repeatable }),
    ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const sentAt = performance.now();
  return new Promise((resolve) => {
    const end = (answer) => resolve({ ...answer, sentAt, at: performance.now(), ms: performance.now() - sentAt });
    const sent = request(origin + path, { method, headers, agent, timeout: PATIENCE_MS }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', ({ code }) => end({ status: 0, text: code, headers: {} }));
      response.on('end', () =>
        end({ status: response.statusCode, text: Buffer.concat(chunks).toString(), headers: response.headers }),
      );
    });
    sent.on('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'NO ANSWER' })));
    sent.on('error', ({ code, message }) => end({ status: 0, text: code ?? message, headers: {} }));
    sent.end(text);
  });
}

export const succeeded = ({ status }) => status >= 200 && status < 300;

/** With Retry-After and an Error body. */
export function refusedProperly({ status, text, headers }) {
  if (status !== 503 && status !== 429) return false;
  try {
    const { code, message, ...rest } = JSON.parse(text);
    return /^\d+$/.test(headers['retry-after']) && Boolean(code && message) && rest.status === status;
  } catch {
    return false;
  }
}

/** Nothing was stored, for certain. */
export const storedNothing = ({ status, text }) =>
  text === 'ECONNREFUSED' || (status === 503 && !/is unknown/.test(text)) || (status >= 400 && status < 500);

export const slowest = (answers) => Math.round(Math.max(0, ...answers.map(({ ms }) => ms)));

/** Such as "200 × 1234, 503 (The database does not answer.) × 7". */
export function tally(answers) {
  const counts = new Map();
  for (const { status, text } of answers) {
    const why = status === 0 ? text : /"message":"([^"]*)/.exec(text)?.[1];
    const name = status > 0 && status < 400 ? status : `${status} (${why})`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} × ${count}`).join(', ') || 'none';
}

/** An open loop: so many requests a second, whether or not they are answered. */
export function steadyLoad(drill, perSecond, send) {
  const [answers, pending] = [[], new Set()];
  const begun = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - begun) / 1_000) * perSecond; sent++) {
      const answer = send(sent).then((one) => (answers.push(one), pending.delete(answer)));
      pending.add(answer);
    }
  }, 5);
  drill.defer(() => clearInterval(timer));
  async function finish() {
    clearInterval(timer);
    await Promise.all(pending);
    return answers;
  }
  return { answers, finish };
}

/** Pages, single animals, and one create in three. */
export const mixed = (origin, key) => (i) => {
  if (i % 3 === 0) return ask(origin, 'POST', '/v1/pets', { key, body: { name: `animal ${i}`, categoryId: i } });
  return ask(origin, 'GET', i % 3 === 1 ? `/v1/pets?limit=10&after=${i % 50}` : '/v1/pets?limit=1', { key });
};
