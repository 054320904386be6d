// Requests, loops of them, and what is said about their answers.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, tell, until } from './drill.mjs';

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
  return { ...answer, sentAt, ms: performance.now() - sentAt };
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
  if (![503, 429].includes(status) || !text.startsWith('{')) return false;
  const { code, message, ...rest } = JSON.parse(text);
  return /^\d+$/.test(headers['retry-after']) && Boolean(code && message) && rest.status === status;
}

export function expectProper(answers, withinMs = PATIENCE_MS) {
  const wrong = answers.filter((one) => !succeeded(one) && !refusedProperly(one));
  tell(tally(answers));
  expect(`each a success or a proper refusal (else ${tally(wrong)})`, wrong.length === 0);
  expect(`each within ${withinMs} ms: ${slowest(answers)} ms`, slowest(answers) <= withinMs);
}

export const slowest = (answers) => Math.round(answers.reduce((most, { ms }) => Math.max(most, ms), 0));

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
  const answers = [];
  const sent = [];
  const begun = performance.now();
  const timer = setInterval(() => {
    while (sent.length < ((performance.now() - begun) / 1_000) * perSecond) sent.push(sendOne(sent.length));
  }, 5);
  const sendOne = async (i) => answers.push(await send(i));
  const finish = () => (clearInterval(timer), Promise.all(sent).then(() => answers));
  return { answers, finish };
}

/** So many clients, each of which sends its next request after the answer to the last; it may end at so many answers. */
export function closedLoop(clients, send, most = Infinity) {
  const answers = [];
  let isOver = false;
  const client = async (_, number) => {
    for (let i = 0; !isOver && answers.length < most; i++) answers.push(await send(number, i));
  };
  const ended = Promise.all(Array.from({ length: clients }, client));
  const finish = () => ((isOver = true), ended.then(() => answers));
  return { answers, ended, finish };
}

/** Pages, single animals, and one create in three. */
export const mixed = (origin, key) => (i) => {
  if (i % 3 === 0) return ask(origin, 'POST', '/v1/pets', { key, body: { name: `animal ${i}`, categoryId: i } });
  return ask(origin, 'GET', i % 3 === 1 ? `/v1/pets?limit=10&after=${i % 50}` : '/v1/pets?limit=1', { key });
};

/** A load before, during and after a misfortune that begins, lasts and ends, until creates succeed again. */
export async function endure(send, lastsMs, begin, end) {
  const load = openLoop(60, send);
  await until('a request succeeds', () => load.answers.some(succeeded));
  await begin();
  const begun = performance.now();
  await delay(lastsMs);
  const during = load.answers.filter(({ sentAt }) => sentAt > begun);
  await end();
  const ended = performance.now();
  const isCreate = ({ sentAt, status, ms }) => sentAt > ended && status === 201 && ms < 500;
  const back = await until('a create succeeds again', () => load.answers.find(isCreate));
  await delay(500);
  return { answers: await load.finish(), during, backMs: Math.round(back.sentAt + back.ms - ended) };
}
