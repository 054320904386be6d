// Runs a command with REDIS_URL set to a throw-away Redis: `node scripts/with-redis.mjs -- npm test -- rate-limit`.
// A REDIS_URL that is already set is used as it is. REDIS_PID is set for a throw-away one only: tests may freeze it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';
import { freePort } from './support/free-port.mjs';
import { requireTool } from './support/tool.mjs';

const [command, ...args] = process.argv.slice(process.argv[2] === '--' ? 3 : 2);
if (!command) giveUp('Which command? Usage: node scripts/with-redis.mjs -- <command> [arguments …]');

if (process.env.REDIS_URL) {
  endLike(await runCommand(process.env));
} else {
  const { server, url } = await startRedis(redisServer());
  try {
    endLike(await runCommand({ ...process.env, REDIS_URL: url, REDIS_PID: String(server.pid) }));
  } finally {
    server.kill('SIGCONT'); // in case a test left it frozen
    server.kill('SIGTERM');
  }
}

async function runCommand(env) {
  const ended = await runChild(command, args, { env, stdio: 'inherit' });
  if (ended.output) say(ended.output);
  return ended;
}

function redisServer() {
  try {
    requireTool({ progress: say }, 'redis-server');
  } catch (error) {
    giveUp(`${error.message}. Or set REDIS_URL to a running one.`);
  }
  return 'redis-server';
}

/** Starts Redis on a free port, and retries on another one if a different process takes the port first. */
async function startRedis(program) {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const port = await freePort();
    const options = [
      '--bind',
      '127.0.0.1',
      '--port',
      port,
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      '/tmp',
    ];
    const server = spawn(program, options.map(String), { stdio: 'ignore' });
    for (let tries = 0; tries < 100 && server.exitCode === null; tries++) {
      if (await listens(port)) return { server, url: `redis://127.0.0.1:${port}` };
      await delay(50);
    }
    server.kill('SIGKILL');
  }
  return giveUp('Redis did not start after 5 attempts. Try it alone: redis-server --port 0');
}

async function listens(port) {
  const socket = connect(port, '127.0.0.1');
  const [outcome] = await Promise.race([
    once(socket, 'connect').then(() => [true]),
    once(socket, 'error').then(() => [false]),
  ]).catch(() => [false]);
  socket.destroy();
  return outcome;
}
