import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { freePort } from '../../scripts/support/free-port.mjs';
import { root } from '../../scripts/support/root.mjs';
import { requireTool } from '../../scripts/support/tool.mjs';

const START_MS = 10_000;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** How many times faster than in production the rules are evaluated, and their longest durations then. */
const FASTER = 30;
const LONGEST = { for: 5, window: 30 };

/**
 * Runs Prometheus with docker/prometheus, except for the addresses, `targets` by job, and the time: it scrapes every
 * second, and each duration of a rule is a thirtieth of the original, within limits.
 */
export async function startPrometheus(drill, targets) {
  requireTool(drill, 'prometheus');
  const folder = mkdtempSync(join(tmpdir(), 'drill-prometheus-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'prometheus.yml'), stringify(configuration(targets)));
  const rules = acceleratedRules();
  writeFileSync(join(folder, 'rules.yml'), stringify(rules));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn('prometheus', [...args, '--log.level=error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  drill.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const prometheus = new Prometheus(`http://${address}`);
  await prometheus.scraping(Object.values(targets).flat().length);
  return prometheus;
}

class Prometheus {
  constructor(origin) {
    this.origin = origin;
  }

  /** The result of an instant query: labels and value of each series. */
  async query(expression) {
    const answer = await fetch(`${this.origin}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const { data, error } = await answer.json();
    if (error) throw new Error(`Prometheus cannot answer ${expression}: ${error}`);
    return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  /** The names of the alerts that fire, or fired within the last seconds. */
  async firing(seconds = 0) {
    const series = 'ALERTS{alertstate="firing"}';
    const over = seconds > 0 ? `max_over_time(${series}[${Math.ceil(seconds)}s])` : series;
    const found = await this.query(`count by (alertname) (${over})`);
    return found.map(({ labels }) => labels.alertname).toSorted();
  }

  async scraping(targets) {
    for (const end = performance.now() + START_MS; performance.now() < end; await delay(100)) {
      const up = await this.query('up == 1').catch(() => []);
      if (up.length === targets) return;
    }
    throw new Error(`Prometheus does not scrape all ${targets} targets within ${START_MS / 1_000} s.`);
  }
}

export const alertNames = () => rulesOf(read('rules.yml')).map(({ alert }) => alert);

function configuration(targets) {
  const config = read('prometheus.yml');
  config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
  config.scrape_configs = Object.entries(targets).map(([name, addresses]) => {
    if (!config.scrape_configs.some((job) => job.job_name === name))
      throw new Error(`No job is called ${name}.`);
    return { job_name: name, static_configs: [{ targets: addresses }] };
  });
  return config;
}

function acceleratedRules() {
  const rules = read('rules.yml');
  for (const rule of rulesOf(rules)) {
    rule.expr = rule.expr.replace(/(?<=\[|offset )\d+[smhd]/g, (text) => accelerated(text, LONGEST.window));
    if (rule.for) rule.for = accelerated(rule.for, LONGEST.for);
  }
  return rules;
}

function accelerated(text, longest) {
  const seconds = parseInt(text, 10) * SECONDS[text.at(-1)];
  return `${Math.min(longest, Math.max(1, seconds / FASTER))}s`;
}

const rulesOf = ({ groups }) => groups.flatMap(({ rules }) => rules);

const read = (name) => parse(readFileSync(join(root, 'docker', 'prometheus', name), 'utf8'));
