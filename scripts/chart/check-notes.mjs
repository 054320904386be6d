import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chart, notes } from './render.mjs';

const smallest = `--values=${join(chart, 'ci', 'smallest.yaml')}`; // two replicas, and the one in transition
const connections = [
  [[], '78 connections,'],
  [['--set=settings.WORKERS=4,settings.DATABASE_POOL_SIZE=5'], '228 connections,'],
  [['--set-string=settings.WORKERS=auto'], '78 connections for each processor'],
];

/** An operator sizes PostgreSQL by what the notes say. */
export function checkNotes() {
  for (const [options, text] of connections) {
    const expected = `PostgreSQL must allow ${String(text)}`;
    assert.ok(notes(smallest, ...options).includes(expected), `The notes do not say "${expected}"`);
  }
}
