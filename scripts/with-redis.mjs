// Runs a command with REDIS_URL set to a throw-away Redis: `npm run with-redis -- npm test -- rate-limit`. Tests may freeze
// the process REDIS_PID.
import { spawn } from 'node:child_process';
import { freePort } from './support/free-port.mjs';
import { commandOf, require, run } from './support/programs.mjs';

const [command, args] = commandOf('scripts/with-redis.mjs');
const port = await freePort();
const options = { bind: '127.0.0.1', port, save: '', appendonly: 'no', dir: '/tmp' };
const redis = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
// Clients try again until it listens.
const server = spawn(require('redis-server', 'redis-server'), redis, { stdio: 'ignore', detached: true });
process.on('exit', () => server.kill('SIGKILL'));
const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${port}`, REDIS_PID: String(server.pid) };
process.exit(await run(command, args, env));
