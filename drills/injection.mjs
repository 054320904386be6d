import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../scripts/support/run-child.mjs';
import { bearer, httpClient } from './support/http.mjs';
import { startPostgres } from './support/postgres.mjs';
import { issueKeys, startService } from './support/service.mjs';
import { requireTool } from '../scripts/support/tool.mjs';

export const title = 'sqlmap finds no SQL injection in any parameter';

const TARGET_S = 120;
/** Marks the position where sqlmap injects. */
const PLACE = '*';
const BODY = { name: 'Rex', categoryId: 1, status: 'available' };

export async function run(drill) {
  requireTool(drill, 'sqlmap');
  const { url } = await startPostgres(drill);
  const settings = { DATABASE_URL: url, KEY_ENVIRONMENT: 'test', LOG_LEVEL: 'error' };
  const [key] = await issueKeys(settings, 1);
  const { origin } = await startService(drill, settings);
  const { call } = httpClient(drill, origin);
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  for (let i = 0; i < 30; i++) await call('POST', '/v1/pets', { headers, body: JSON.stringify(BODY) });

  const folder = mkdtempSync(join(tmpdir(), 'sqlmap-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  for (const { name, args } of targets(origin, key)) {
    drill.progress(name);
    const { verdict, answers } = await attack(join(folder, name.replaceAll(/\W+/g, '-')), args);
    drill.figure(name, `${verdict}; ${tell(answers)}`);
    const heard = name.includes('Authorization') || answers.has('200') || answers.has('201');
    drill.expect(`${name}: valid requests succeed`, heard);
    drill.expect(`${name}: not injectable`, verdict === 'not injectable');
  }
  const { status } = await call('GET', '/v1/pets', { headers: bearer(key) });
  drill.expect('the service still answers', status === 200);
}

function targets(origin, key) {
  const authorization = `Authorization: Bearer ${key}`;
  const pets = `${origin}/v1/pets`;
  const get = (name, url, ...more) => ({ name, args: ['-u', url, '-H', authorization, ...more] });
  const post = (field) => {
    const body = JSON.stringify({ ...BODY, [field]: `${BODY[field]}${PLACE}` });
    // Keeps the number unquoted, so that sqlmap injects outside of a string.
    const data = field === 'categoryId' ? body.replace(/"(\d+\*)"/, '$1') : body;
    return {
      name: `body: ${field}`,
      args: ['-u', pets, '-H', authorization, '-H', 'Content-Type: application/json', '--data', data],
    };
  };
  return [
    get('query: limit', `${pets}?limit=5${PLACE}`),
    get('query: status', `${pets}?status=available${PLACE}`),
    get('query: after', `${pets}?after=1${PLACE}`),
    get('path: petId', `${pets}/1${PLACE}`),
    post('name'),
    post('categoryId'),
    post('status'),
    { name: 'header: Authorization', args: ['-u', pets, '-H', `${authorization}${PLACE}`] },
    get('header: X-Request-Id', `${pets}?limit=1`, '-H', `X-Request-Id: drill${PLACE}`),
  ];
}

async function attack(outputFolder, target) {
  mkdirSync(outputFolder);
  const traffic = join(outputFolder, 'traffic');
  const args = [
    ...target,
    '--batch',
    '--flush-session',
    `--output-dir=${outputFolder}`,
    '-t',
    traffic,
    '--dbms=PostgreSQL',
    '--level=2',
    '--risk=1',
    '--technique=BEUST',
    '--time-sec=1',
    '--threads=4',
    '--timeout=5',
    '--retries=0',
    '--ignore-code=*',
    '--skip-waf',
    '--disable-coloring',
    '-v',
    '1',
  ];
  const options = { stdio: ['ignore', 'pipe', 'pipe'] };
  const { output } = await runChild('timeout', [String(TARGET_S), 'sqlmap', ...args], options);
  const answers = new Map();
  for (const [, status] of readFileSync(traffic, 'utf8').matchAll(/^HTTP response \[#\d+\] \((\d+)/gm)) {
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  return { verdict: verdictOf(output), answers };
}

const tell = (answers) => [...answers].map(([status, times]) => `${times} × ${status}`).join(', ');

/** Requires an explicit verdict, so that an aborted run does not pass. */
function verdictOf(output) {
  if (/identified the following injection point|is vulnerable/.test(output)) return 'INJECTABLE';
  if (/all tested parameters do not appear to be injectable/.test(output)) return 'not injectable';
  return `no verdict (${output.trim().split('\n').slice(-3).join(' | ')})`;
}
