import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../support/root.mjs';

/** Every place that has the version of a release. */
export function versionsOfCheckout() {
  const packageOf = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).version;
  const chart = parse(readFileSync(join(root, 'docker/helm/Chart.yaml'), 'utf8'));
  return {
    'package.json': packageOf('package.json'),
    'package-lock.json': packageOf('package-lock.json'),
    'clients/typescript/package.json': packageOf('clients/typescript/package.json'),
    'version in docker/helm/Chart.yaml': chart.version,
    'appVersion in docker/helm/Chart.yaml': chart.appVersion,
  };
}

/** The section of the CHANGELOG that a tag such as `v1.2.3` publishes. Fails unless the checkout is that version. */
export function releaseNotes(tag, versions, changelog) {
  const problems = Object.entries(versions)
    .filter(([, version]) => `v${version}` !== tag)
    .map(([place, version]) => `${place} has ${version}`);
  const version = tag.slice(1);
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}] - `)) ?? '';
  const [title, ...notes] = section.split('\n');
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(title) || !notes.some((line) => line.startsWith('- '))) {
    problems.push(`CHANGELOG.md has no section "## [${version}] - <day>" with entries`);
  }
  if (problems.length > 0) throw new Error(`The tag ${tag} cannot be released:\n${problems.join('\n')}`);
  return `${notes.join('\n').trim()}\n`;
}
