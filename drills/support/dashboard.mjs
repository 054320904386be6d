import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/support/root.mjs';

const DASHBOARD = join('docker', 'grafana', 'dashboards', 'animal-store.json');
/** What Grafana would put in their place, for a scrape every second. */
const INTERVALS = { $__rate_interval: '5s', $__range: '60s' };

/** The expressions of the dashboard that return no number, by panel. */
export async function emptyPanels(prometheus) {
  const { panels } = JSON.parse(readFileSync(join(root, DASHBOARD), 'utf8'));
  const empty = [];
  const all = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  for (const { title, expr } of all) {
    const found = await prometheus.query(expr.replace(/\$\w+/g, (name) => INTERVALS[name]));
    if (!found.some(({ value }) => Number.isFinite(value))) empty.push(`${title}: ${expr}`);
  }
  return { expressions: all.length, empty };
}
