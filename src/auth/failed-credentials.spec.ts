import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { FailedCredentials, MOST_PER_SECOND } from './failed-credentials.js';

const ATTACKERS = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`);
const OTHER = '198.51.100.1';
const LIMITED = 'Too many requests.';

beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(1_000_000));
afterEach(() => void jest.restoreAllMocks());

it('many networks have a bounded number of failures a second together, and others are not refused for them', async () => {
  const failures = new FailedCredentials(new RateLimiter('failures', 0));
  for (let i = 0; i < MOST_PER_SECOND; i++) {
    const network = ATTACKERS[i % ATTACKERS.length] as string;
    failures.limit(network);
    await failures.count(network, true);
  }
  for (const network of ATTACKERS) expect(() => failures.limit(network)).toThrow(LIMITED);
  failures.limit(OTHER);
  await failures.count(OTHER, true);
  expect(() => failures.limit(OTHER)).toThrow(LIMITED);
  jest.mocked(performance.now).mockReturnValue(1_001_000);
  for (const network of ATTACKERS) failures.limit(network);
});

it('what was not looked up does not count for all networks', async () => {
  const failures = new FailedCredentials(new RateLimiter('failures', 0));
  for (let i = 0; i < MOST_PER_SECOND; i++) await failures.count(OTHER, false);
  expect(() => failures.limit(OTHER)).not.toThrow();
});

it('a network that has used up its failures has five look-ups a second', async () => {
  const failures = new FailedCredentials(new RateLimiter('failures', 1));
  await failures.count('192.0.2.1', true);
  for (let i = 0; i < 5; i++) failures.limit('192.0.2.1');
  expect(() => failures.limit('192.0.2.1')).toThrow(LIMITED);
  await expect(failures.count('192.0.2.1', true)).rejects.toThrow(LIMITED);
  failures.limit(OTHER);
});
