import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { together } from './logger.js';

describe('The log buffer', () => {
  let writes: string[][];
  let logger: Logger;
  let end: () => void;
  beforeEach(() => {
    writes = [];
    const write = (text: string): void => void writes.push(text.match(/one|two|three|end/g) ?? []);
    logger = pino({}, together({ write }));
    end = process.listeners('exit').at(-1) as () => void;
  });
  afterEach(() => {
    process.off('exit', end);
  });

  it('writes all lines of one event loop turn at once, in order', async () => {
    for (const line of ['one', 'two', 'three']) logger.info(line);
    expect(writes).toEqual([]);
    await turn();
    expect(writes).toEqual([['one', 'two', 'three']]);
    logger.info('one');
    await turn();
    expect(writes).toEqual([['one', 'two', 'three'], ['one']]);
  });

  it('flushes at once on a fatal line', async () => {
    logger.info('one');
    logger.fatal('end');
    expect(writes).toEqual([['one', 'end']]);
    await turn();
    expect(writes).toHaveLength(1);
  });

  it('flushes when the process exits, and writes later lines immediately', () => {
    logger.info('one');
    end();
    expect(writes).toEqual([['one']]);
    logger.info('two');
    expect(writes).toEqual([['one'], ['two']]);
  });
});
