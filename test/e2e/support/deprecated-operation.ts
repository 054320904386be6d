import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Answer } from './client.js';
import { describeInside } from './deployment.js';
import { expectError } from './expectations.js';
import { type Service, startService } from './service.js';

interface DeprecatedOperation {
  deprecatedOn: string;
  sunsetOn: string;
  /** Creates the resource to read, and returns its path. */
  path: (service: Service) => Promise<string>;
}

/** Shared tests of deprecated read operations: every answer announces the sunset, and the operation ends on that day. */
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

    it('works until the last second, and announces its sunset', async () => {
      service.clock.moveTo(lastInstant);
      const answer = await service.get(target);
      expect(answer.status).toBe(200);
      expectAnnounced(answer);
    });

    it('answers 410 from the sunset on, for any id', async () => {
      service.clock.moveTo(sunset.toISOString());
      for (const asked of [target, target.replace(/[^/]+$/, 'x')]) {
        const answer = await service.get(asked);
        expectError(answer, 'gone');
        expectAnnounced(answer);
      }
    });

    it('answers 401 without a key, also after the sunset', async () => {
      service.clock.moveTo(sunset.toISOString());
      const answer = await service.call('GET', target);
      expectError(answer, 'missing_api_key');
      expectAnnounced(answer);
    });
  });
}
