import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { NestLogger } from './logger.js';

describe('NestLogger', () => {
  it.each([
    ['InstanceLoader', 'debug'],
    ['_NestApplication2', 'debug'], // as the bundler may name it
    ['Database', 'info'],
    [undefined, 'info'],
  ])('logs a message of %s at the level %s', (context, level) => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const logger = pino({ level: 'trace', formatters: { level: (label) => ({ label }) } }, { write });
    new NestLogger(logger).log('started', context);
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([{ label: level, msg: 'started' }]);
  });
});
