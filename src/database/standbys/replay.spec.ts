import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import type { History } from './history.js';
import { Replay } from './replay.js';
import { STANDBY_LIMITS } from './standby-limits.js';

const BEHIND = /bytes of the log behind/;
const AHEAD = /ahead of the primary/;

let now: number;
/** Of the log of each. */
let primary: bigint;
let standby: bigint;
const isShared = jest.fn<History['isShared']>();
const answer = () => ({ rows: [{ server: 'standby', isStandby: true, position: String(standby) }] });
const client = { query: async () => answer() } as unknown as pg.PoolClient;
let replay: Replay;

beforeEach(async () => {
  now = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  isShared.mockReset().mockResolvedValue(true);
  replay = new Replay({ isShared } as never, async () => ({ primary: 1n, position: primary }), true);
  primary = standby = 100n;
  await replay.follow(client);
});
afterEach(() => void jest.restoreAllMocks());

it('A standby is asked once for its history', async () => {
  primary = standby = 200n;
  await replay.catchUp(client);
  await replay.follow(client);
  expect(isShared).toHaveBeenCalledTimes(1);
});

it('A standby that is ahead of the primary may not serve until it shows its history anew', async () => {
  standby = 150n;
  await expect(replay.follow(client)).rejects.toThrow(AHEAD);
  isShared.mockResolvedValue(false);
  const before = now;
  primary = 200n;
  standby = 250n;
  await expect(replay.catchUp(client)).rejects.toThrow('started anew');
  await expect(replay.follow(client)).rejects.toThrow('does not follow the primary');
  expect(isShared.mock.calls.at(-1)?.[2]).toBeGreaterThan(1_000_000);
  expect(isShared.mock.calls.at(-1)?.[2]).toBeLessThanOrEqual(before);
});

it('Between batches, it is found out by the next one', async () => {
  standby = 150n;
  await replay.catchUp(client);
  await expect(replay.catchUp(client)).rejects.toThrow(AHEAD);
  expect(isShared).toHaveBeenCalledTimes(1);
});

it('A standby that was behind need not show its history anew', async () => {
  primary = 200n;
  await expect(replay.catchUp(client)).rejects.toThrow(BEHIND);
  await expect(replay.follow(client)).rejects.toThrow(BEHIND);
  standby = 200n;
  await replay.follow(client);
  expect(isShared).toHaveBeenCalledTimes(1);
});

it('An answer that came while this process was paused is read, and its connection kept', async () => {
  const destroy = jest.fn();
  const paused = {
    async query() {
      await nextTurn(); // timers are next
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * STANDBY_LIMITS.stateMs);
      await nextTurn();
      return answer();
    },
    connection: { stream: { destroy, once: () => {} } },
  } as unknown as pg.PoolClient;
  await replay.catchUp(paused);
  await delay(20);
  expect(destroy).not.toHaveBeenCalled();
});
