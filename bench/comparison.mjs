import { compare } from './compare.mjs';
import { fillDatabase, startDatabase } from './database.mjs';
import { preparePeers } from './prepare-peers.mjs';
import { chart } from './report/chart.mjs';
import { evaluate, isTrustworthy, judge } from './report/evaluate.mjs';
import { comparisonPage, spread } from './report/markdown.mjs';
import { describeMachine, writeChart, writePage } from './report/write.mjs';

/** Measures and judges; writes the results of a complete, trustworthy run to docs/performance. */
export async function runComparison(bench, form) {
  await preparePeers(bench);
  const postgres = await startDatabase(bench);
  const database = await fillDatabase(bench, postgres, 'animals', form.rows);
  const outcome = evaluate(await compare(bench, form, database), form.workloads);
  for (const { name, lines } of outcome.workloads) {
    for (const line of lines) {
      const cpu = `CPU ${spread(line.cpu, 3)} ms`;
      bench.figure(
        `${name} ${line.name}`,
        `${spread(line.perSecond, 0)} requests/s, ÷ by hand ${spread(line.toHand, 2)}, ${cpu}`,
      );
    }
  }
  const trustworthy = isTrustworthy(bench, outcome);
  judge(bench, outcome);
  if (!form.isWhole || !trustworthy) return;
  const machine = describeMachine(postgres.version);
  await writePage('results.md', comparisonPage(outcome, machine, form));
  writeChart('chart.svg', chart(outcome, machine));
  bench.progress('written: docs/performance/results.md and chart.svg');
}
