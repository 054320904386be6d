import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { LogOutput } from './log-output.js';

describe('Lines of the log', () => {
  /** The text of each write. */
  let writes: string[];
  let fatal: string[];
  /** The number of bytes that can be written until a write fails. */
  let room: number;
  let output: LogOutput;
  let logger: Logger;
  let end: () => void;

  beforeEach(() => {
    writes = [];
    fatal = [];
    room = Infinity;
    output = new LogOutput(
      (data) => {
        if (room === 0) throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' });
        const taken = Buffer.from(data).subarray(0, room);
        room -= taken.length;
        writes.push(taken.toString());
        return taken.length;
      },
      (data) => fatal.push(data.toString()),
    );
    logger = pino({ base: null, timestamp: false, formatters: { level: () => ({}) } }, output);
    end = process.listeners('exit').at(-1) as () => void;
  });
  afterEach(() => {
    process.off('exit', end);
  });

  const written = () => writes.join('').match(/(?<="msg":")[^"]+(?="\}\n)/g) ?? [];
  const lines = (text: string) => text.match(/(?<="msg":")[^"]+/g);

  it('of one turn leave in one write, in their order', async () => {
    for (const line of ['one', 'two', 'three']) logger.info(line);
    expect(writes).toEqual([]);
    await turn();
    expect(writes.map(lines)).toEqual([['one', 'two', 'three']]);
    logger.info('one');
    await turn();
    expect(writes.map(lines)).toEqual([['one', 'two', 'three'], ['one']]);
  });

  it('do not wait when one is fatal', async () => {
    logger.info('one');
    logger.fatal('end');
    expect(writes.map(lines)).toEqual([['one', 'end']]);
    await turn();
    expect(writes).toHaveLength(1);
  });

  it('do not wait when the process ends, nor do those that come then', () => {
    logger.info('one');
    end();
    expect(written()).toEqual(['one']);
    logger.info('two');
    expect(written()).toEqual(['one', 'two']);
  });

  it('that cannot be written, or only in part, wait until they can', async () => {
    room = 20;
    for (const line of ['one', 'Grüße', 'three']) {
      logger.info(line);
      await turn();
    }
    room = 5;
    await delay(150);
    expect(written()).toEqual(['one']);
    room = Infinity;
    while (written().length < 3) await delay(10);
    expect(written()).toEqual(['one', 'Grüße', 'three']);
    expect(output.lostLines).toBe(0);
  });

  it('are lost and counted when too many wait, which is told once writing works again', async () => {
    const told: number[] = [];
    output.onRecovery = (lost) => told.push(lost);
    room = 0;
    const line = 'x'.repeat(100_000);
    for (let i = 0; i < 15; i++) logger.info(line);
    await turn();
    expect(output.lostLines).toBe(4);
    expect(told).toEqual([]);
    room = Infinity;
    while (told.length === 0) await delay(10);
    expect(written()).toHaveLength(11);
    logger.info('after');
    await turn();
    expect(written().at(-1)).toBe('after');
    expect([told, output.lostLines]).toEqual([[4], 4]);
  });

  it('are lost when too many wait, with the rest of one that is partly written', async () => {
    room = 1;
    const line = 'x'.repeat(100_000);
    for (let i = 0; i < 10; i++) logger.info(line);
    await turn();
    for (let i = 0; i < 10; i++) logger.info(line);
    expect(output.lostLines).toBe(9);
  });

  it('are given up at the end of the process, but for a fatal one, which goes to standard error', () => {
    room = 0;
    logger.info('one');
    logger.fatal('crash');
    end();
    expect(writes).toEqual([]);
    expect(fatal.map(lines)).toEqual([['crash']]);
  });

  it('are not repeated on standard error when a fatal one was written', () => {
    logger.fatal('crash');
    room = 0;
    logger.info('one');
    end();
    expect(fatal).toEqual([]);
  });

  it('of several processes leave in writes of whole lines that a pipe takes in one piece', async () => {
    const pieces: string[] = [];
    const write = (data: string | Buffer): number => pieces.push(data.toString()) && Buffer.byteLength(data);
    const shared = new LogOutput(write, () => 0, true);
    process.off('exit', process.listeners('exit').at(-1) as () => void);
    const all = Array.from({ length: 100 }, (_, i) => `${i} ${'猫'.repeat(i === 50 ? 2_000 : 300)}\n`);
    for (const line of all) shared.write(line);
    await turn();
    expect(pieces.join('')).toBe(all.join(''));
    for (const piece of pieces) expect(piece).toMatch(/\n$/);
    const long = pieces.filter((piece) => Buffer.byteLength(piece) > 4_096);
    expect(long).toEqual([all[50]]);
  });
});
