import { describe, expect, it } from '@jest/globals';
import { FrontendMessages, type FrontendMessage } from './frontend-messages.js';

const startUp = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]);
const query = Buffer.from('Q\0\0\0\x0dSELECT 1\0', 'latin1');
const sync = Buffer.from('S\0\0\0\x04', 'latin1');

function all(messages: FrontendMessages): FrontendMessage[] {
  const found: FrontendMessage[] = [];
  for (let message = messages.next(); message; message = messages.next()) found.push(message);
  return found;
}

describe('FrontendMessages', () => {
  it('reads the start-up message, which has no type', () => {
    const messages = new FrontendMessages();
    messages.add(startUp);
    expect(messages.next()).toEqual({ type: '', bytes: startUp });
    expect(messages.next()).toBeUndefined();
  });

  it('reads messages that are split at any byte', () => {
    const stream = Buffer.concat([query, sync, query]);
    for (let cut = 0; cut <= stream.length; cut++) {
      const messages = new FrontendMessages();
      messages.start();
      messages.add(stream.subarray(0, cut));
      const early = all(messages);
      messages.add(stream.subarray(cut));
      expect([...early, ...all(messages)]).toEqual([
        { type: 'Q', bytes: query },
        { type: 'S', bytes: sync },
        { type: 'Q', bytes: query },
      ]);
    }
  });

  it.each([
    ['of an unknown type', 'z\0\0\0\x04'],
    ['with an impossible length', 'Q\0\0\0\x03'],
    ['with a negative length', 'Q\xff\xff\xff\xff'],
  ])('rejects a message %s', (_, bytes) => {
    const messages = new FrontendMessages();
    messages.start();
    messages.add(Buffer.from(bytes, 'latin1'));
    expect(() => messages.next()).toThrow('Not a message of a PostgreSQL client');
  });
});
