import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { QuickAbortRequest } from './quick-abort.js';

describe('A request that is aborted', () => {
  const destroyedBy = async (error: Error): Promise<unknown> => {
    const request = new QuickAbortRequest(new Socket());
    const failed = new Promise((resolve) => request.once('error', resolve));
    request.destroy(error);
    return failed;
  };

  it('fails with an error whose stack is text already', async () => {
    const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    let isMadeText = false;
    Object.defineProperty(aborted, 'stack', { get: () => (isMadeText = true) });
    expect(await destroyedBy(aborted)).toMatchObject({ message: 'aborted', code: 'ECONNRESET' });
    expect(isMadeText).toBe(false);
  });

  it.each([new Error('aborted'), Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })])(
    'keeps every other error',
    async (error) => expect(await destroyedBy(error)).toBe(error),
  );
});
