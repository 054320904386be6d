import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './support/operations.js';
import { type Service, startService } from './support/service.js';

interface Operation {
  parameters: { name: string }[];
  requestBody?: { content: object };
  responses: Record<string, { $ref?: string }>;
}

describe('For generators of clients, the document', () => {
  let service: Service;
  let document: OpenAPIObject;
  let operations: Operation[];
  beforeAll(async () => {
    service = await startService();
    document = JSON.parse((await service.call('GET', '/openapi.json')).text) as OpenAPIObject;
    operations = operationsOf(document).map(({ operation }) => operation as never);
  });
  afterAll(() => service.stop());

  it('has each refusal once, and one default for all operations', () => {
    const shared = Object.values(document.components!.responses!).map((each) => JSON.stringify(each));
    expect(new Set(shared).size).toBe(shared.length);
    for (const { responses } of operations) {
      const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
      for (const [, each] of refusals) expect(each).toEqual({ $ref: expect.any(String) });
      expect(responses).toMatchObject({
        429: { $ref: expect.stringMatching(/^#\/components\/responses\/(?:GetPet)?TooManyRequests$/) },
        default: { $ref: '#/components/responses/Failure' },
      });
    }
  });

  it('has patterns that every regex engine reads, no values of booleans, and no pattern of a date-time', () => {
    JSON.stringify(document, (_, part: Record<string, unknown> | null) => {
      const { type, pattern, format, enum: values } = part ?? {};
      if (type === 'boolean') expect(values).toBeUndefined();
      if (format === 'date-time') expect(pattern).toBeUndefined();
      if (typeof pattern === 'string') {
        expect(pattern).not.toMatch(/\\u202[89]|[\u2028\u2029]|\\u\{|\[[^\]]*\[|\(\?[^:]/);
        for (const flag of ['', 'u']) expect(() => new RegExp(pattern, flag)).not.toThrow();
      }
      return part;
    });
  });

  it('has one media type for each body, no default in it, and no key that would be sent with every request', () => {
    for (const { requestBody, parameters } of operations) {
      if (requestBody) expect(Object.keys(requestBody.content)).toEqual(['application/json']);
      for (const each of parameters) if (each.name === 'Idempotency-Key') expect(each).not.toHaveProperty('example');
    }
    const bodies = Object.entries(document.components!.schemas!).filter(([name]) => /^New|Change$/.test(name));
    expect(JSON.stringify(bodies)).not.toContain('"default"');
  });

  it('has an example of each header, with addresses of what it is about', () => {
    for (const header of Object.values(document.components!.headers!)) expect(header).toHaveProperty('example');
    const { get, post } = document.paths['/store/orders']!;
    expect(get!.responses['200']).toHaveProperty(
      'headers.Link.example',
      expect.stringMatching('^</v1/store/orders[?]'),
    );
    expect(post!.responses['201']).toHaveProperty('headers.Location.example', '/v1/store/orders/1');
  });
});
