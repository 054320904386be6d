import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../../scripts/support/free-port.mjs';
import { require, root } from '../../scripts/support/programs.mjs';
import { ask } from './client.mjs';
import { isShort, until } from './drill.mjs';
import { start } from './programs.mjs';

/** How much faster the rules are, and the most seconds that remain: what waits longer than another still does. */
const FASTER = { for: 12, window: 30 };
const MOST = isShort ? { for: 6, window: 10 } : { for: 12, window: 30 };
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Scrapes the targets by job. `fired` has how often each alert began to fire. */
export async function startPrometheus(drill, targets) {
  const program = require('prometheus', 'prometheus');
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { groups } = parse(readFileSync(join(root, 'docker/prometheus/rules.yml'), 'utf8'));
  for (const rule of groups.flatMap((group) => group.rules)) {
    rule.expr = rule.expr.replace(/(?<=\[|offset )\d+[smhd]/g, (text) => faster(text, 'window'));
    if (rule.for) rule.for = faster(rule.for, 'for');
  }
  const jobs = Object.entries(targets).map(([name, each]) => ({ job_name: name, static_configs: [{ targets: each }] }));
  const global = { scrape_interval: '1s', evaluation_interval: '1s' };
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, stringify({ global, rule_files: ['rules.yml'], scrape_configs: jobs }));
  writeFileSync(join(folder, 'rules.yml'), stringify({ groups }));
  const address = `127.0.0.1:${await freePort()}`;
  const flags = { 'config.file': config, 'storage.tsdb.path': join(folder, 'data'), 'web.listen-address': address };
  const args = Object.entries({ ...flags, 'log.level': 'error' }).map(([name, value]) => `--${name}=${value}`);
  start(drill, program, args);

  const get = async (path) => {
    const { status, text } = await ask(`http://${address}`, 'GET', `/api/v1/${path}`);
    return status === 200 ? JSON.parse(text).data : { alerts: [], result: [] };
  };
  const isUp = async () => (await get('query?query=up%3D%3D1')).result.length === Object.values(targets).flat().length;
  await until('Prometheus scrapes all', isUp);
  const fired = new Map();
  let firing = new Set();
  const timer = setInterval(async () => {
    const { alerts } = await get('alerts');
    const now = new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    for (const alert of now) if (!firing.has(alert)) fired.set(alert, (fired.get(alert) ?? 0) + 1);
    firing = now;
  }, 300);
  drill.defer(() => clearInterval(timer));
  return { fired, isCalm: () => firing.size === 0 };
}

function faster(text, kind) {
  const seconds = Number.parseInt(text, 10) * SECONDS[text.at(-1)];
  return `${Math.min(MOST[kind], Math.max(1, seconds / FASTER[kind])) * 1_000}ms`;
}
