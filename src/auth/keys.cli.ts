import { DAY_MS } from '../common/clock.js';
import { argumentsOf, commandName, runCommand, UsageError } from '../common/command.js';
import { int64FromText } from '../common/int64.js';
import { COMMANDS, type Input } from './keys-commands.js';

const USAGE = `API keys: ${commandName('keys', 'auth/keys.cli')} COMMAND

  issue --name NAME [--owner WHO] [--note TEXT] [--expires 90d]  shows a new key, only this once
  list                                       all keys, without their secrets
  show ID                                    the details of a key
  rotate ID [--overlap 24h] [--expires 90d]  shows a successor; the old key works for the overlap
  revoke ID                                  ends a key within five seconds
  prune [--older-than 30d]                   deletes keys that have ended at least that long ago

90d is 90 days, 12h is 12 hours. A key expires after 365 days by default.
For scripts, each command takes --json; issue and rotate take --quiet, which prints only the key.`;

const OF_ONE_KEY = new Set(['show', 'rotate', 'revoke']);

const OPTIONS = {
  name: { type: 'string', default: '' },
  owner: { type: 'string', default: '' },
  note: { type: 'string', default: '' },
  expires: { type: 'string' },
  overlap: { type: 'string', default: '24h' },
  'older-than': { type: 'string', default: '30d' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

await runCommand(async () => {
  const { values, positionals } = argumentsOf({ options: OPTIONS, allowPositionals: true }, USAGE);
  const [command = 'help', ...words] = positionals;
  if (command === 'help' || values.help) return USAGE;
  const run = Object.hasOwn(COMMANDS, command) && COMMANDS[command];
  if (!run) throw new UsageError(`There is no such command: ${command}\n\n${USAGE}`);
  const id = OF_ONE_KEY.has(command) ? int64FromText(words.shift() ?? '') : 0n;
  if (id === undefined) throw new UsageError(`Say which key, by the number that the list shows: ${command} 3`);
  if (words.length > 0) throw new UsageError(`What is "${words.join(' ')}"? Text of several words needs quotes.`);
  const input = inputOf(id, values);
  if (command === 'issue' && input.name === '') throw new UsageError('Say who the key is for: issue --name NAME');
  // The rest is loaded for commands that are well-formed, since it takes a second.
  const { withModule } = await import('../database/command.js');
  const { AuthModule } = await import('./auth.module.js');
  const { KeysService } = await import('./keys.service.js');
  const { text, record, key } = await withModule(AuthModule, (context) => run(context.get(KeysService), input));
  if (values.quiet && key !== undefined) return key;
  return values.json ? JSON.stringify(record, null, 2) : text;
});

type Values = ReturnType<typeof argumentsOf<{ options: typeof OPTIONS }>>['values'];

function inputOf(id: bigint, values: Values): Input {
  const { name, owner, note, expires, overlap, 'older-than': olderThan } = values;
  const lifeMs = expires === undefined ? undefined : durationOf('--expires', expires);
  if (lifeMs === 0) throw new UsageError('A key is valid for at least an hour: --expires 1h');
  const labels = { name: lineOf(name.trim()), owner: lineOf(owner), note: lineOf(note) };
  const [overlapMs, olderThanMs] = [durationOf('--overlap', overlap), durationOf('--older-than', olderThan)];
  return { ...labels, id, lifeMs, overlapMs, olderThanMs };
}

/** Names appear in terminals and logs, where an invisible character could disguise one key as another. */
function lineOf(text: string): string {
  if (/^[^\p{C}\p{Zl}\p{Zp}]{0,255}$/u.test(text)) return text;
  throw new UsageError('A name, owner or note is one line of at most 255 visible characters.');
}

function durationOf(option: string, duration: string): number {
  const [, amount, unit] = /^(0|[1-9]\d{0,4})([dh])$/.exec(duration) ?? [];
  if (amount !== undefined) return Number(amount) * (unit === 'd' ? DAY_MS : DAY_MS / 24);
  throw new UsageError(`Say ${option} in days or hours, such as ${option} 90d or ${option} 12h`);
}
