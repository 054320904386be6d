import { expect, it } from '@jest/globals';
import type { KeysService } from '../keys.service.js';
import { KEYS } from './arguments.js';
import { parseCommand } from './commands.js';

const keys = {
  find: () => Promise.resolve({ name: 'reporting' }),
  revoke: () => Promise.resolve(true),
  findWorking: () => Promise.reject(new Error('canceling statement due to statement timeout')),
} as unknown as KeysService;

it('says that a key is revoked, even if what else works under its name cannot be read', async () => {
  expect(await parseCommand(['revoke', '7'])?.(keys)).toBe(
    'Key 7 is revoked: it stops working within five seconds.\n' +
      `Whether others still work under its name is not known. See: ${KEYS} list`,
  );
  expect(JSON.parse((await parseCommand(['revoke', '7', '--json'])?.(keys)) as string)).toEqual({
    revoked: '7',
    sameName: null,
  });
});
