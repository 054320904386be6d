import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chart, render } from './render.mjs';

const smallest = [`--values=${join(chart, 'ci', 'smallest.yaml')}`];
/** Mistakes, and what the message about them contains. */
const mistakes = [
  [[], "missing property 'DATABASE_URL'"],
  [[...smallest, '--set=settings.RATE_LIMIT_PERKEY=1'], 'RATE_LIMIT_PERKEY'],
  [[...smallest, '--set=settings.DATABASE_URL=postgres://user:password@db/animals'], 'DATABASE_URL'],
  [[...smallest, '--set=settings.METRICS_PORT=9000'], 'METRICS_PORT'],
  [[...smallest, '--set=secrets.REDIS_URL.name=redis'], "missing property 'key'"],
  [
    [...smallest, '--set=settings.REDIS_URL=redis://r,secrets.REDIS_URL.name=r,secrets.REDIS_URL.key=url'],
    'REDIS_URL is in settings and in secrets: remove one',
  ],
  [
    [...smallest, '--set=podSpec.securityContext.runAsUser=0'],
    'podSpec.securityContext is set by the chart: remove it',
  ],
  [[...smallest, '--set=replica=3'], "'replica' not allowed"],
  [[...smallest, '--set=ingress.enabled=true'], 'host'],
  [[...smallest, '--set=ingress.enabled=true,ingress.host=animals.example.com'], 'TRUSTED_PROXIES'],
];

/** A mistake fails the installation, and not only the pods. */
export function checkMistakes() {
  for (const [options, message] of mistakes) {
    assert.throws(
      () => render(...options),
      ({ reason }) => reason.includes(message),
      `Not refused with "${String(message)}"`,
    );
  }
  return mistakes.length;
}
