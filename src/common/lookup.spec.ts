import dns, { type LookupAddress } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { lookup } from './lookup.js';
import { readSockets } from './patience.js';

Logger.overrideLogger(false);

type Answer = (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void;

describe('The look-up of a name', () => {
  const ADDRESSES = [{ address: '192.0.2.1', family: 4 }];
  const OTHERS = [{ address: '192.0.2.2', family: 4 }];
  const failed = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });
  /** Those under way. */
  let asked: Answer[];
  let logged: jest.Spied<Logger['warn']>;
  let name: string;
  let count = 0;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    name = `name-${count++}.test`;
    asked = [];
    logged = jest.spyOn(Logger.prototype, 'warn');
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(
        ((_name: string, _options: object, answer: Answer) => void asked.push(answer)) as never,
      );
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** What each caller learnt. */
  const found: unknown[] = [];
  beforeEach(() => void found.splice(0));
  const look = (all = true): void => lookup(name, { all }, (error, ...rest) => found.push(error ?? rest));
  const pass = async (ms: number): Promise<void> => {
    jest.advanceTimersByTime(ms);
    for (let i = 0; i < 2; i++) await readSockets();
  };
  const known = (): void => {
    look();
    asked.pop()?.(null, ADDRESSES);
    found.pop();
  };

  it('gives all addresses, or the first one with its family', () => {
    look();
    look(false);
    asked[0]?.(null, ADDRESSES);
    expect(found).toEqual([[ADDRESSES], ['192.0.2.1', 4]]);
  });

  it('is one for all who ask meanwhile, however long it takes', () => {
    for (let i = 0; i < 3; i++) {
      look();
      jest.advanceTimersByTime(60_000);
    }
    expect([asked.length, found.length]).toEqual([1, 0]);
    asked[0]?.(null, ADDRESSES);
    expect(found).toEqual([[ADDRESSES], [ADDRESSES], [ADDRESSES]]);
  });

  it('asks each time', () => {
    known();
    look();
    asked[0]?.(null, OTHERS);
    expect(found).toEqual([[OTHERS]]);
  });

  it('gives the last addresses after 200 ms without an answer, and then at once, until there is one', async () => {
    known();
    look();
    await pass(199);
    expect(found).toEqual([]);
    await pass(1);
    look();
    await pass(0);
    expect(found).toEqual([[ADDRESSES], [ADDRESSES]]);
    expect(asked).toHaveLength(1);
    asked[0]?.(null, ADDRESSES);
    look();
    asked[1]?.(null, OTHERS);
    expect(found.slice(2)).toEqual([[OTHERS]]);
    expect(logged.mock.calls).toEqual([
      [`${name} is not resolved (no answer within 200 ms); its last address is used`],
      [`${name} is resolved again`],
    ]);
  });

  it('uses what is answered late from the next time on, and logs once that answers are late', async () => {
    known();
    for (const addresses of [OTHERS, ADDRESSES]) {
      look();
      await pass(200);
      asked.pop()?.(null, addresses);
    }
    expect(found).toEqual([[ADDRESSES], [OTHERS]]);
    expect(logged).toHaveBeenCalledTimes(1);
  });

  it('takes an answer that arrived while the process was paused', async () => {
    known();
    look();
    jest.advanceTimersByTime(200);
    asked[0]?.(null, OTHERS);
    await pass(0);
    expect(found).toEqual([[OTHERS]]);
    expect(logged).not.toHaveBeenCalled();
  });

  it('waits for 200 ms each time, whenever others began to wait for the one before', async () => {
    known();
    look();
    await pass(150);
    look();
    asked[0]?.(null, ADDRESSES);
    look();
    await pass(199);
    expect(found).toHaveLength(2);
    asked[1]?.(null, OTHERS);
    expect(found[2]).toEqual([OTHERS]);
    expect(logged).not.toHaveBeenCalled();
  });

  it.each(['EAI_AGAIN', 'EAI_FAIL', 'ENOMEM'])(
    'gives the last addresses after %s, and asks again',
    (code) => {
      known();
      for (let i = 0; i < 2; i++) {
        look();
        asked.pop()?.(failed(code));
      }
      expect(found).toEqual([[ADDRESSES], [ADDRESSES]]);
    },
  );

  it('fails if the name never had one, or has none any more', () => {
    look();
    asked.pop()?.(failed('EAI_AGAIN'));
    known();
    look();
    asked.pop()?.(failed('ENOTFOUND'));
    look();
    asked.pop()?.(failed('EAI_AGAIN'));
    expect(found).toMatchObject([{ code: 'EAI_AGAIN' }, { code: 'ENOTFOUND' }, { code: 'EAI_AGAIN' }]);
  });
});
