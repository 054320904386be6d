// Requests, loops of them, and what is said about their answers.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './drill.mjs';

const PATIENCE_MS = 10_000;
const agent = new Agent({ keepAlive: true, maxSockets: 1_000, scheduling: 'fifo' });

/** One request. Never rejects: an answer that does not come has the status 0, and its `text` says why. */
export async function ask(origin, method, path, { key, body, repeatable } = {}) {
  const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(repeatable && { 'idempotency-key': repeatable }),
    ...(content && { 'content-type': 'application/json' }),
  };
  const sentAt = performance.now();
  const answer = await exchange(origin + path, { method, headers }, content).catch(({ code, message }) => {
    return { status: 0, text: code ?? message, headers: {} };
  });
  const at = performance.now();
  return { ...answer, sentAt, at, ms: at - sentAt };
}

async function exchange(url, options, content) {
  const sent = request(url, { agent, signal: AbortSignal.timeout(PATIENCE_MS), ...options });
  sent.on('error', () => {}).end(content); // also after the head of the answer, when the answer itself fails
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, text: await readText(response) };
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

/** Those that are neither a success nor a proper refusal. */
export const wrongOf = (answers) => answers.filter((one) => !succeeded(one) && !refusedProperly(one));

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

/** So many requests a second, whether or not they are answered. */
export function openLoop(perSecond, send) {
  const [answers, pending] = [[], new Set()];
  const begun = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - begun) / 1_000) * perSecond; sent++) {
      const answer = send(sent).then((one) => (answers.push(one), pending.delete(answer)));
      pending.add(answer);
    }
  }, 5);
  async function finish() {
    clearInterval(timer);
    await Promise.all(pending);
    return answers;
  }
  return { answers, finish };
}

/** So many clients, each of which sends its next request after the answer to the last. */
export function closedLoop(clients, send) {
  const answers = [];
  let isOver = false;
  const client = async (_, number) => {
    for (let i = 0; !isOver; i++) answers.push(await send(number, i));
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  const finish = () => ((isOver = true), all.then(() => answers));
  return { answers, finish };
}

/** Pages, single animals, and one create in three. */
export const mixed = (origin, key) => (i) => {
  if (i % 3 === 0) return ask(origin, 'POST', '/v1/pets', { key, body: { name: `animal ${i}`, categoryId: i } });
  return ask(origin, 'GET', i % 3 === 1 ? `/v1/pets?limit=10&after=${i % 50}` : '/v1/pets?limit=1', { key });
};

/** A load before, during and after a misfortune, until creates succeed again. `cause` may return what ends it. */
export async function endure(send, lastsMs, cause) {
  const load = openLoop(60, send);
  await until('a request succeeds', () => load.answers.some(succeeded));
  const from = performance.now();
  const end = await cause();
  const begun = performance.now();
  if (end) await delay(lastsMs);
  const ending = performance.now();
  await end?.();
  const ended = performance.now();
  const isCreate = ({ at, status, ms }) => at > ended && status === 201 && ms < 500;
  const back = await until('a create succeeds again', () => load.answers.find(isCreate));
  await delay(500);
  const answers = (await load.finish()).filter(({ at }) => at > from);
  const during = answers.filter(({ sentAt, at }) => sentAt > begun && at < ending);
  return { answers, during, backMs: Math.round(back.at - ended) };
}
