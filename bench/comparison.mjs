import { compare } from './compare.mjs';
import { fillDatabase, startDatabase } from './database.mjs';
import { preparePeers } from './prepare-peers.mjs';
import { chart } from './report/chart.mjs';
import { evaluate, isTrustworthy, judge } from './report/evaluate.mjs';
import { comparisonPage, spread } from './report/markdown.mjs';
import { describeMachine, writeChart, writePage } from './report/write.mjs';

/** Measures and judges; writes the results of a complete, trustworthy run to docs/performance. */
export async function run(bench, form) {
  const contestants = await preparePeers(bench);
  const postgres = await startDatabase(bench);
  const database = await fillDatabase(bench, postgres, 'animals', form.rows);
  const outcome = evaluate(await compare(bench, form, database, contestants), form.workloads);
  for (const { name, lines, peers } of outcome.workloads) {
    for (const line of lines) {
      const cpu = `CPU ${spread(line.cpu, 3)} ms`;
      bench.figure(`${name} ${line.name}`, `${spread(line.perSecond, 0)} requests/s, ${cpu}`);
    }
    for (const { title, rate, cpu, p99 } of peers) {
      const atEqualLoad = p99 ? `, ${spread(p99, 2)} p99 at equal load` : '';
      bench.figure(
        `${name} ÷ ${title}`,
        `${spread(rate, 2)} requests/s, ${spread(cpu, 2)} CPU${atEqualLoad}`,
      );
    }
  }
  const trustworthy = isTrustworthy(bench, outcome);
  const verdicts = judge(bench, outcome);
  if (!form.isWhole || !trustworthy) return;
  const machine = describeMachine(postgres.version);
  await writePage('results.md', comparisonPage(outcome, verdicts, machine, form));
  writeChart('chart.svg', chart(outcome, machine));
  bench.progress('written: docs/performance/results.md and chart.svg');
}
