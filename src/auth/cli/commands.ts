import { dayOf } from '../../common/clock.js';
import { parseOptions } from '../../cli/parse-options.js';
import type { Output } from '../../cli/run-as-command.js';
import { UsageError } from '../../cli/usage-error.js';
import type { IssuedKey, KeysService } from '../keys.service.js';
import {
  KEYS,
  OPTIONS,
  parseDuration,
  parseLifetime,
  refuseWord,
  requireId,
  requireLine,
  USAGE,
} from './arguments.js';
import { keyDetails, keyRecord, keysTable } from './keys-table.js';

/** Runs a command and returns its output. */
export type Command = (keys: KeysService) => Promise<string | Output>;

/** Parses a command line; `undefined` asks for the usage. Throws a `UsageError` that explains the first mistake. */
export function parseCommand(args: string[]): Command | undefined {
  const { values, positionals } = parseOptions({ args, options: OPTIONS, allowPositionals: true }, USAGE);
  const [name = 'help', word, ...rest] = positionals;
  if (name === 'help' || values.help) return undefined;
  if (rest.length > 0) throw new UsageError(`One key at a time; what is "${rest.join(' ')}"?`);

  const lifeMs = values.expires === undefined ? undefined : parseLifetime(values.expires);
  const print = (text: string, record: unknown): string =>
    values.json ? JSON.stringify(record, null, 2) : text;
  const printIssued = (issued: IssuedKey, text: string, ifLost: string, more?: object): Output => ({
    text: values.quiet
      ? issued.key
      : print(`${text} ${shownOnce(issued)}`, { ...issued, id: String(issued.id), ...more }),
    ifLost: `Key ${issued.id} is new and works, but is shown only once. Revoke it: ${KEYS} revoke ${issued.id}\n${ifLost}`,
  });

  switch (name) {
    case 'list':
      refuseWord(name, word);
      return async (keys) => {
        const [all, now] = [await keys.list(), new Date()];
        return print(
          keysTable(all, now),
          all.map((key) => keyRecord(key, now)),
        );
      };
    case 'show': {
      const id = requireId(name, word);
      return async (keys) => {
        const [key, now] = [await keys.find(id), new Date()];
        if (!key) throw new UsageError(`There is no key ${id}. See: ${KEYS} list`);
        return print(keyDetails(key, now), keyRecord(key, now));
      };
    }
    case 'issue': {
      refuseWord(name, word);
      const line = (text = ''): string | undefined =>
        text === '' ? undefined : requireLine(text, 'Owner and note are one line of text each.');
      const request = {
        name: requireLine(
          values.name?.trim() ?? '',
          `Say who the key is for, in one line: ${KEYS} issue --name NAME`,
        ),
        owner: line(values.owner),
        note: line(values.note),
        lifeMs,
      };
      return byAgreedClock(async (keys) => {
        const issued = await keys.issue(request);
        return printIssued(issued, `A key for ${issued.name}, number ${issued.id}.`, 'Then issue another.');
      });
    }
    case 'rotate': {
      const id = requireId(name, word);
      const overlapMs = parseDuration('--overlap', values.overlap);
      return byAgreedClock(async (keys) => {
        const issued = await keys.rotate(id, overlapMs, lifeMs);
        if (!issued) throw noWorkingKey(id);
        const old = `Key ${id} keeps working for ${overlapMs / 3_600_000} hours at most.`;
        const text = `${old}\nIts successor is number ${issued.id}.`;
        const ifLost = `${old} Rotate it again before, or issue another.`;
        return printIssued(issued, text, ifLost, { replaces: String(id) });
      });
    }
    case 'revoke': {
      const id = requireId(name, word);
      return async (keys) => {
        const key = await keys.find(id);
        if (!key || !(await keys.revoke(id))) throw noWorkingKey(id);
        const sameName = await keys.findWorking(key.name).catch(() => undefined); // the key is revoked all the same
        return print(`Key ${id} is revoked: it stops working within five seconds.${othersOf(sameName)}`, {
          revoked: String(id),
          sameName: sameName?.map(String) ?? null,
        });
      };
    }
    case 'prune': {
      refuseWord(name, word);
      const olderThanMs = parseDuration('--older-than', values['older-than']);
      return byAgreedClock(async (keys) => {
        const forgotten = await keys.prune(olderThanMs);
        return print(`Deleted ${forgotten} expired or revoked keys.`, { forgotten });
      });
    }
    default:
      throw new UsageError(`There is no such command: ${name}\n\n${USAGE}`);
  }
}

/** By a wrong clock, valid keys would be deleted, or end at once. A revocation must succeed all the same. */
function byAgreedClock(command: Command): Command {
  return async (keys) => {
    const difference = await keys.clockDifference();
    if (difference === undefined) return command(keys);
    throw new UsageError(
      `The clock of this machine is ${difference}. Nothing was changed.\n` +
        'Synchronise both, such as by NTP, then repeat the command.',
    );
  };
}

function othersOf(sameName: bigint[] | undefined): string {
  if (!sameName) return `\nWhether others still work under its name is not known. See: ${KEYS} list`;
  return sameName.length > 0 ? `\nStill working under its name: ${sameName.join(', ')}.` : '';
}

function shownOnce({ key, expiresAt }: IssuedKey): string {
  return `It is shown this once; it expires on ${dayOf(expiresAt)}.\n\n  ${key}`;
}

function noWorkingKey(id: bigint): UsageError {
  return new UsageError(`There is no key ${id} that still works. See: ${KEYS} list`);
}
