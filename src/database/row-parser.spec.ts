import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from 'pg';
import { installRowParser, readRows } from './row-parser.js';

type Fields = (string | null)[];

function message(code: string, body: Buffer): Buffer {
  const head = Buffer.from(`${code}....`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int16 = (number: number): Buffer => Buffer.from([number >> 8, number & 0xff]);

function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
}

function dataRow(fields: Fields): Buffer {
  const parts = fields.map((text) =>
    text === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]),
  );
  return message('D', Buffer.concat([int16(fields.length), ...parts]));
}

/** The fields of a row, from its bytes. */
function fieldsOf(bytes: Buffer, start: number): Fields {
  let at = start + 2;
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return bytes.toString('utf8', at - length, at);
  });
}

/** A connection without a server. `receive` delivers bytes to it. */
function connect(readyForQuery = false) {
  const connection = new EventEmitter() as EventEmitter & { attachListeners(stream: EventEmitter): void };
  const destroy = jest.fn((_error: Error) => {});
  const stream = Object.assign(new EventEmitter(), { destroy });
  const passed: unknown[] = [];
  for (const name of ['dataRow', 'commandComplete', 'errorMessage', 'readyForQuery'])
    connection.on(name, (answer: { fields?: Fields; text?: string; message?: string; status?: string }) =>
      passed.push([name, answer.fields ?? answer.text ?? answer.message ?? answer.status]),
    );
  installRowParser({ connection, readyForQuery });
  connection.attachListeners(stream);
  const receive = (bytes: Buffer, size = bytes.length): void => {
    for (let at = 0; at < bytes.length; at += size) stream.emit('data', bytes.subarray(at, at + size));
  };
  return { connection: connection as unknown as Connection, receive, passed, destroy };
}

const END = message('C', Buffer.from('SELECT 1\0'));
const ERROR = message('E', Buffer.from('SERROR\0C22003\0Mtoo large\0\0'));

describe('readRows', () => {
  it('passes rows to the reader and all other messages to pg, however the data is split', () => {
    const rows = fc.array(fc.array(fc.option(fc.string({ unit: 'grapheme' })), { maxLength: 5 }), {
      maxLength: 20,
    });
    const sizes = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(rows, sizes, (sent, size) => {
        const { connection, receive, passed } = connect();
        const read: Fields[] = [];
        readRows(connection, (bytes, start) => read.push(fieldsOf(bytes, start)));
        receive(Buffer.concat([...sent.map(dataRow), END, ERROR]), size);
        expect(read).toEqual(sent);
        expect(passed).toEqual([
          ['commandComplete', 'SELECT 1'],
          ['errorMessage', 'too large'],
        ]);
      }),
    );
  });

  it('passes rows to pg before and after', () => {
    const { connection, receive, passed } = connect();
    receive(dataRow(['1', null]));
    const leave = readRows(connection, () => {});
    receive(dataRow(['2', null]));
    leave();
    receive(dataRow(['3', null]));
    expect(passed).toEqual([
      ['dataRow', ['1', null]],
      ['dataRow', ['3', null]],
    ]);
  });

  it('is not ended by an earlier reader', () => {
    const { connection, receive, passed } = connect();
    const leave = readRows(connection, () => {});
    const read: Fields[] = [];
    readRows(connection, (bytes, start) => read.push(fieldsOf(bytes, start)));
    leave();
    receive(dataRow(['1']));
    expect(read).toEqual([['1']]);
    expect(passed).toEqual([]);
  });

  it('throws for a client of another driver', () => {
    expect(() => readRows(new EventEmitter() as unknown as Connection, () => {})).toThrow('our own drivers');
  });
});

describe('A connection', () => {
  const UNEXPECTED = expect.objectContaining({
    message: 'Connection terminated: the server sent unexpected bytes',
  });

  it.each([
    ['a message without a length', Buffer.from('D\0\0\0\0')],
    ['a message that pg cannot read', message('T', int16(9))],
  ])('breaks at %s, and ignores what follows', (_what, bytes) => {
    const { receive, passed, destroy } = connect();
    receive(bytes);
    receive(END);
    expect(destroy.mock.calls).toEqual([[UNEXPECTED]]);
    expect(passed).toEqual([]);
  });

  it('breaks when pg fails', () => {
    const { connection, receive, destroy } = connect();
    connection.on('copyInResponse', () => {
      throw new TypeError('activeQuery.handleCopyInResponse is not a function');
    });
    receive(message('G', Buffer.alloc(3)));
    expect(destroy).toHaveBeenCalledWith(UNEXPECTED);
  });

  it.each([END, dataRow(['1']), message('Z', Buffer.from('I'))])(
    'breaks at an answer to nothing (%#)',
    (bytes) => {
      const { receive, passed, destroy } = connect(true);
      receive(bytes);
      expect(destroy).toHaveBeenCalledWith(UNEXPECTED);
      expect(passed).toEqual([]);
    },
  );

  it('takes the warning that a commit was not replicated for an error at its end', () => {
    const { receive, passed } = connect();
    const warning = message('N', Buffer.from('SWARNUNG\0C01000\0Mabgebrochen\0RSyncRepWaitForLSN\0\0'));
    const idle = message('Z', Buffer.from('I'));
    receive(Buffer.concat([warning, END, idle, END, idle]));
    expect(passed).toEqual([
      ['commandComplete', 'SELECT 1'],
      ['errorMessage', 'abgebrochen'],
      ['readyForQuery', 'I'],
      ['commandComplete', 'SELECT 1'],
      ['readyForQuery', 'I'],
    ]);
  });

  it('takes errors and notices at any time', () => {
    const { receive, passed, destroy } = connect(true);
    const texts = Buffer.from('a\0b\0');
    receive(Buffer.concat([ERROR, message('N', Buffer.from('SNOTICE\0Mhello\0\0')), message('S', texts)]));
    receive(message('A', Buffer.concat([int32(1), texts])));
    expect(passed).toEqual([['errorMessage', 'too large']]);
    expect(destroy).not.toHaveBeenCalled();
  });
});
