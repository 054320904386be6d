import { expect, it } from '@jest/globals';
import { WaitingPlaces } from '../common/waiting-places.js';
import { RequestsUnderWay } from './requests-under-way.js';

const LONG = 3_600_000;
const IN_VAIN = 'The first request with this Idempotency-Key is still under way. Repeat it.';

it('lets equal requests wait, and only as many as have places once the first is delayed', async () => {
  const requests = new RequestsUnderWay<{ made: number }>(LONG, new WaitingPlaces(2));
  let end!: (result: { made: number }) => void;
  const work = () => new Promise<{ made: number }>((resolve) => (end = resolve));
  const send = (group: string, digest = 'equal') =>
    requests.run(digest, { group, deadline: performance.now() + LONG }, work);
  const outcome = (sent: ReturnType<typeof send>): Promise<unknown> =>
    sent.then(
      ({ isOwn }) => isOwn,
      (error: Error) => error.message,
    );
  const first = outcome(send('a'));
  const before = ['a', 'a', 'a'].map((group) => outcome(send(group)));
  requests.delay('another');
  requests.delay('equal');
  const after = outcome(send('a'));
  expect(await Promise.all([before[2], after])).toEqual([IN_VAIN, IN_VAIN]);
  const ofAnotherKey = outcome(send('b'));
  expect(await before[1]).toBe(IN_VAIN); // it gave its place up
  end({ made: 1 });
  expect(await Promise.all([first, before[0], ofAnotherKey])).toEqual([true, false, false]);
});
