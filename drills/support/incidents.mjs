import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { succeeded } from './answers.mjs';
import { emptyPanels } from './dashboard.mjs';
import { randomKey } from './keys.mjs';
import { query } from './postgres.mjs';
import { RawClient, requestText } from './raw-client.mjs';
import { startService } from './service.mjs';
import { largePages, SteadyLoad } from './steady-load.mjs';

const GUESSES_PER_S = 100;
/** Far more than HAProxy and the replicas take at a time. */
const CLIENTS = 400;
const PAUSE_MS = 100;
/** So many different pages, since equal reads share one statement. */
const POSITIONS = 100_000;
/** More log lines than the service buffers. */
const UNREAD_LINES = 12_000;
/** Longer than the alerts of a missing replica wait. */
const AWAY_MS = 5_000;
const FROZEN_MS = 600;
const RUNNING_MS = 200;
/** What a busy machine may add to an overload. */
const CONSEQUENCES = ['Slow', 'EventLoopLate', 'WaitingForDatabase', 'Overload', 'TargetDown'];
/** A restart takes seconds, and so do these alerts here. */
const STARTING = ['DatabaseAway', 'ReplicaNotReady', 'TargetDown'];
const failWith = (sqlState) => `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE 'on purpose' USING ERRCODE = '${sqlState}'; END $$;
CREATE TRIGGER fail BEFORE INSERT ON pets EXECUTE FUNCTION fail()`;
const SUCCEED = 'DROP FUNCTION fail CASCADE';
/** Below the limit of a statement. A create waits for the batch before its own, too. */
const SLOW = `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
CREATE TRIGGER slow AFTER INSERT ON pets EXECUTE FUNCTION slow()`;
const CREATES_PER_S = 20;

/**
 * What happens to a store, and the alerts that tell of it. `cause` resolves to a function that ends it; `fires` must
 * fire, `may` may. Short forms leave out what is not `short`.
 */
export const incidents = [
  {
    name: 'guessed keys, a deprecated operation and a failing statement',
    short: true,
    fires: ['KeyFailures', 'DeprecatedCalls', 'InternalErrors'],
    async cause({ drill, cluster, key, client, prometheus }) {
      const get = () => requestText('GET', '/v1/pets', { key: randomKey() });
      const guesses = new SteadyLoad(client, GUESSES_PER_S, get);
      drill.defer(() => guesses.stop());
      await client.ask(requestText('GET', '/v1/pets/1', { key }));
      await query(cluster.url, failWith('raise_exception'));
      await delay(1_000);
      await query(cluster.url, SUCCEED);
      return async () => {
        const { expressions, empty } = await emptyPanels(prometheus);
        drill.figure('dashboard', `${expressions} expressions, ${empty.length} without data`);
        drill.expect(`every panel has data (without: ${empty.join('; ') || 'none'})`, empty.length === 0);
        guesses.stop();
      };
    },
  },
  {
    name: 'the database is down',
    short: true,
    fires: ['DatabaseAway'],
    async cause({ cluster }) {
      await cluster.pgCtl('stop', '-m', 'fast');
      return () => cluster.pgCtl('start');
    },
  },
  {
    name: 'the database refuses creates',
    short: true,
    fires: ['OperationRefused'],
    may: ['Overload'],
    async cause({ cluster }) {
      await query(cluster.url, failWith('disk_full'));
      return () => query(cluster.url, SUCCEED);
    },
  },
  {
    name: 'every replica is down',
    short: true,
    fires: ['NoReplica'],
    may: [...STARTING, 'Overload'], // of the refused creates before, if NoReplica fires later
    async cause({ drill, replicas }) {
      await Promise.all(replicas.map(({ service }) => service.stop('SIGKILL')));
      return () => Promise.all(replicas.map((replica) => start(drill, replica)));
    },
  },
  {
    name: 'a replica crashes, is away, and crashes twice more',
    short: true,
    fires: ['ReplicaNotReady', 'TargetDown', 'CrashLoop'],
    may: STARTING,
    async cause({ drill, replicas }) {
      const [, replica] = replicas;
      for (let crash = 1; crash <= 3; crash++) {
        await replica.service.stop('SIGKILL');
        if (crash === 1) await delay(AWAY_MS);
        await start(drill, replica);
        await delay(1_500); // a scrape sees it
      }
    },
  },
  {
    name: 'overload through HAProxy',
    short: true,
    fires: ['Overload'],
    may: CONSEQUENCES,
    cause: async ({ drill, key, proxy }) => crowd(drill, proxy.origin, largePages(key, POSITIONS)),
  },
  {
    name: 'slow creates',
    fires: ['Slow'],
    may: CONSEQUENCES,
    async cause({ drill, cluster, key, client }) {
      await query(cluster.url, SLOW);
      const body = JSON.stringify({ name: 'x', categoryId: 1 });
      const creates = new SteadyLoad(client, CREATES_PER_S, () =>
        requestText('POST', '/v1/pets', { key, body }),
      );
      drill.defer(() => creates.stop());
      return async () => {
        creates.stop();
        await query(cluster.url, 'DROP FUNCTION slow CASCADE');
      };
    },
  },
  {
    name: 'a locked table',
    fires: ['WaitingForDatabase', 'OperationRefused'],
    may: CONSEQUENCES,
    async cause({ drill, cluster, key, proxy }) {
      const locker = new pg.Client(cluster.url);
      await locker.connect();
      drill.defer(() => locker.end());
      await locker.query('BEGIN; LOCK TABLE pets IN SHARE MODE'); // reads go on, and so does readiness
      const body = JSON.stringify({ name: 'x', categoryId: 1 });
      const stop = crowd(drill, proxy.origin, () => requestText('POST', '/v1/pets', { key, body }));
      return async () => {
        await stop();
        await locker.query('COMMIT');
      };
    },
  },
  {
    name: 'a replica without CPU for most of the time',
    fires: ['EventLoopLate'],
    may: CONSEQUENCES,
    async cause({ drill, replicas: [{ service }] }) {
      let frozen = false;
      const turn = () => {
        frozen = !frozen;
        service.child.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
        timer = setTimeout(turn, frozen ? FROZEN_MS : RUNNING_MS);
      };
      let timer = setTimeout(turn);
      const stop = () => {
        clearTimeout(timer);
        service.child.kill('SIGCONT');
      };
      drill.defer(stop); // a frozen service cannot be stopped
      return stop;
    },
  },
  {
    name: 'a replica of another revision, with a low limit, whose log nobody reads',
    fires: ['VersionsDiffer', 'RateLimited', 'LogLinesLost'],
    may: STARTING,
    async cause({ drill, replicas }) {
      const [, replica] = replicas;
      await replica.service.stop();
      await start(drill, replica, { REVISION: 'another', RATE_LIMIT_PER_KEY: '60', LOG_LEVEL: 'info' });
      const { stdout } = replica.service.child;
      stdout.removeAllListeners('data');
      stdout.pause();
      const client = new RawClient(replica.service.origin, { connections: 20 });
      const asked = Array.from({ length: UNREAD_LINES }, () => client.ask(requestText('GET', '/nowhere')));
      await Promise.all(asked);
      client.close();
      return async () => {
        await replica.service.stop();
        await start(drill, replica);
      };
    },
  },
  {
    name: 'a disk is almost full',
    fires: ['Disk'],
    async cause({ disk }) {
      disk.fill();
      return () => disk.empty();
    },
  },
  {
    name: 'a PostgreSQL node is lost',
    fires: ['Replication', 'TargetDown'],
    async cause({ nodes }) {
      const [, node] = nodes.nodes;
      await nodes.kill(node);
      return async () => {
        await nodes.startNode(node);
        await nodes.inSync();
      };
    },
  },
];

async function start(drill, replica, settings) {
  replica.service = await startService(drill, { ...replica.settings, ...settings });
}

/** Clients that send their next request after the answer to the last one; refused ones wait a little. */
function crowd(drill, origin, request) {
  const client = new RawClient(origin, { connections: CLIENTS });
  let stopped = false;
  const ask = async () => {
    while (!stopped) if (!succeeded(await client.ask(request()))) await delay(PAUSE_MS);
  };
  const asking = Array.from({ length: CLIENTS }, ask);
  const stop = async () => {
    stopped = true;
    await Promise.all(asking);
    client.close();
  };
  drill.defer(stop);
  return stop;
}
