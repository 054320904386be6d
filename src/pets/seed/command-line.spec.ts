import { describe, expect, it } from '@jest/globals';
import { readSeedCommand } from './command-line.js';

describe('readSeedCommand', () => {
  it.each([
    [['--count', '5'], { count: 5, seed: 1 }],
    [['--count=10000000', '--seed', '0'], { count: 10_000_000, seed: 0 }],
    [['--count', '1', '--seed', '4294967295'], { count: 1, seed: 4_294_967_295 }],
    [['--help'], { help: true }],
  ])('parses %j', (args, command) => {
    expect(readSeedCommand(args)).toEqual(command);
  });

  it.each([
    [[], 'Say how many: npm run seed -- --count 1000'],
    [['--count', '0'], 'Say --count as a whole number from 1 to 10000000'],
    [['--count', '10000001'], 'Say --count as a whole number from 1 to 10000000'],
    [['--count', '1e3'], 'not "1e3"'],
    [['--count=-1'], 'not "-1"'],
    [['--count', '1', '--seed', '4294967296'], 'Say --seed as a whole number from 0 to 4294967295'],
    [['--cuont', '1'], "Unknown option '--cuont'"],
    [['1000'], "Unexpected argument '1000'"],
  ])('rejects %j and says what to do', (args, hint) => {
    expect(() => readSeedCommand(args)).toThrow(hint);
  });
});
