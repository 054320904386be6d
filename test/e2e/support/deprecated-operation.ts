import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Answer } from './client.js';
import { describeInside } from './deployment.js';
import { expectError } from './expectations.js';
import { type Service, startService } from './service.js';

interface DeprecatedOperation {
  deprecatedOn: string;
  sunsetOn: string;
  /** Makes what the operation reads, and returns its path. */
  path: (service: Service) => Promise<string>;
}

/** What holds for every deprecated operation that reads: it says so on each answer, and it ends on its day. */
export function itIsDeprecated({ deprecatedOn, sunsetOn, path }: DeprecatedOperation): void {
  const sunset = new Date(sunsetOn);
  const lastInstant = new Date(sunset.getTime() - 1_000).toISOString();

  describeInside('is deprecated', () => {
    let service: Service;
    let target: string;
    beforeAll(async () => {
      service = await startService({}, lastInstant);
      target = await path(service);
    });
    afterAll(() => service.stop());

    const expectAnnounced = ({ headers }: Answer): void => {
      expect(headers).toMatchObject({
        deprecation: `@${new Date(deprecatedOn).getTime() / 1000}`,
        sunset: sunset.toUTCString(),
        link: expect.stringMatching(/rel="successor-version".*rel="deprecation"/),
      });
    };

    it('answers until the last instant, and announces its end', async () => {
      service.clock.moveTo(lastInstant);
      const answer = await service.get(target);
      expect(answer.status).toBe(200);
      expectAnnounced(answer);
    });

    it('is gone from then on, whatever is asked for', async () => {
      service.clock.moveTo(sunset.toISOString());
      for (const asked of [target, target.replace(/[^/]+$/, 'x')]) {
        const answer = await service.get(asked);
        expectError(answer, 'gone');
        expectAnnounced(answer);
      }
    });

    it('tells a stranger nothing but 401', async () => {
      service.clock.moveTo(sunset.toISOString());
      const answer = await service.call('GET', target);
      expectError(answer, 'missing_api_key');
      expectAnnounced(answer);
    });
  });
}
