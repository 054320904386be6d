import type { IssuedKey, KeysService } from '../keys.service.js';
import type { Command } from './command-line.js';
import { keyDetails, keyRecord, keysTable } from './keys-table.js';
import { UsageError } from '../../cli/usage-error.js';

/** Does what a command says, and returns what is to be printed. */
export async function runCommand(
  command: Exclude<Command, { name: 'help' }>,
  keys: KeysService,
): Promise<string> {
  const now = new Date();
  const as = (text: string, record: unknown): string =>
    command.json ? JSON.stringify(record, null, 2) : text;
  switch (command.name) {
    case 'list': {
      const all = await keys.list();
      return as(
        keysTable(all, now),
        all.map((key) => keyRecord(key, now)),
      );
    }
    case 'show': {
      const key = await keys.find(command.id);
      if (!key) throw new UsageError(`There is no key ${command.id}. See: npm run keys -- list`);
      return as(keyDetails(key, now), keyRecord(key, now));
    }
    case 'issue': {
      const issued = await keys.issue({ ...command, name: command.for });
      if (command.quiet) return issued.key;
      return as(`A key for ${issued.name}, number ${issued.id}. ${shownOnce(issued)}`, issuedRecord(issued));
    }
    case 'rotate': {
      const issued = await keys.rotate(command.id, command.overlapMs, command.lifeMs);
      if (!issued) throw noWorkingKey(command.id);
      if (command.quiet) return issued.key;
      const old = `Key ${command.id} works for ${command.overlapMs / 3_600_000} more hours at most.`;
      const text = `${old}\nIts successor is number ${issued.id}. ${shownOnce(issued)}`;
      return as(text, { ...issuedRecord(issued), replaces: String(command.id) });
    }
    case 'revoke': {
      if (!(await keys.revoke(command.id))) throw noWorkingKey(command.id);
      return as(`Key ${command.id} is revoked: it stops working within five seconds.`, {
        revoked: String(command.id),
      });
    }
    case 'prune': {
      const forgotten = await keys.prune(command.olderThanMs);
      return as(`${forgotten} keys that no longer worked are forgotten.`, { forgotten });
    }
  }
}

function shownOnce({ key, expiresAt }: IssuedKey): string {
  return `It is shown this once; it expires on ${expiresAt.toISOString().slice(0, 10)}.\n\n  ${key}`;
}

function issuedRecord({ id, name, key, expiresAt }: IssuedKey): Record<string, string> {
  return { id: String(id), name, key, expiresAt: expiresAt.toISOString() };
}

function noWorkingKey(id: bigint): UsageError {
  return new UsageError(`There is no key ${id} that still works. See: npm run keys -- list`);
}
