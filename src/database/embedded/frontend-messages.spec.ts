import { describe, expect, it, jest } from '@jest/globals';
import { FrontendMessages, type FrontendMessage } from './frontend-messages.js';

const startUp = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]);
const query = Buffer.from('Q\0\0\0\x0dSELECT 1\0', 'latin1');
const LARGEST = 1024 * 1024;
const sync = Buffer.from('S\0\0\0\x04', 'latin1');

function all(messages: FrontendMessages): FrontendMessage[] {
  const found: FrontendMessage[] = [];
  for (let message = messages.next(); message; message = messages.next()) found.push(message);
  return found;
}

describe('FrontendMessages', () => {
  it('reads the start-up message, which has no type', () => {
    const messages = new FrontendMessages(LARGEST);
    messages.add(startUp);
    expect(messages.next()).toEqual({ type: '', bytes: startUp });
    expect(messages.next()).toBeUndefined();
  });

  it('reads messages that are split at any byte', () => {
    const stream = Buffer.concat([query, sync, query]);
    for (let cut = 0; cut <= stream.length; cut++) {
      const messages = new FrontendMessages(LARGEST);
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

  it('joins the chunks of a large message once', () => {
    const messages = new FrontendMessages(LARGEST);
    messages.start();
    const concat = jest.spyOn(Buffer, 'concat');
    const large = Buffer.alloc(1 + LARGEST, 'Q');
    large.writeInt32BE(LARGEST, 1);
    for (let at = 0; at < large.length; at += 1_000) {
      expect(messages.next()).toBeUndefined();
      messages.add(large.subarray(at, at + 1_000));
    }
    expect(messages.next()?.bytes.length).toBe(large.length);
    expect(concat).toHaveBeenCalledTimes(1);
    concat.mockRestore();
  });

  it.each([
    ['of an unknown type', 'z\0\0\0\x04'],
    ['with an impossible length', 'Q\0\0\0\x03'],
    ['with a negative length', 'Q\xff\xff\xff\xff'],
    [
      'of more than the largest size',
      'Q\0\x10\0\x01',
      'takes messages of at most 1048576 bytes, not 1048577',
    ],
  ])('rejects a message %s', (_, bytes, reason = 'Not a message of a PostgreSQL client') => {
    const messages = new FrontendMessages(LARGEST);
    messages.start();
    messages.add(Buffer.from(bytes, 'latin1'));
    expect(() => messages.next()).toThrow(reason);
  });
});
