import { relative } from 'node:path';
import { root } from './root.mjs';

const SLOWEST = 5;
const FAILED_MAX = 30;

/** Prints the summary of a test run: failures, skips with reasons, and the slowest files. */
export default class TestReport {
  onRunComplete(_, { testResults }) {
    const lines = [...failures(testResults), ...skipped(testResults), ...slowest(testResults)];
    if (lines.length > 0) process.stderr.write(`\n${lines.join('\n')}\n`);
  }
}

function failures(files) {
  const failed = files.flatMap((file) => {
    const tests = file.testResults.filter(({ status }) => status === 'failed');
    if (file.testExecError) return [`  ${pathOf(file)}: did not run; see its error above`];
    return tests.map(({ fullName }) => `  ${pathOf(file)}: ${fullName}`);
  });
  if (failed.length === 0) return [];
  const more = failed.length > FAILED_MAX ? [`  … and ${failed.length - FAILED_MAX} more`] : [];
  return [
    `Failed: ${failed.length}. To run one of them: npm test -- <file> -t '<name>'`,
    ...failed.slice(0, FAILED_MAX),
    ...more,
  ];
}

/** Tests that need what is not there, such as the inside of a running deployment, say so at the end of their names. */
function skipped(files) {
  const needs = new Map();
  for (const { status, fullName } of files.flatMap(({ testResults }) => testResults)) {
    const [, need] = /.*\((needs [^)]+)\)/.exec(fullName) ?? [];
    if (status === 'pending' && need) needs.set(need, (needs.get(need) ?? 0) + 1);
  }
  if (needs.size === 0) return [];
  return ['Skipped:', ...[...needs].map(([need, count]) => `  ${count}: ${need}`)];
}

function slowest(files) {
  if (files.length <= SLOWEST) return [];
  const seconds = ({ perfStats: { start, end } }) => (end - start) / 1000;
  const slow = files.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, SLOWEST);
  return ['Slowest:', ...slow.map((file) => `  ${seconds(file).toFixed(1).padStart(5)} s  ${pathOf(file)}`)];
}

const pathOf = ({ testFilePath }) => relative(root, testFilePath);
