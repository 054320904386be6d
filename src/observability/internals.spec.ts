import { describe } from '@jest/globals';
import { pino } from 'pino';
import { itFinds } from '../../test/support/inside.js';

describe('internals of others that the log relies on', () => {
  itFinds('pino: flushSync() of its stream after a fatal line', 'src/observability/log-output.ts', () => {
    const calls: string[] = [];
    pino({}, { write: () => calls.push('write'), flushSync: () => calls.push('flush') } as never).fatal('');
    return calls.join() === 'write,flush';
  });
});
