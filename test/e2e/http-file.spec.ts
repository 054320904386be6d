import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '../../src/api/errors/error-catalogue.js';
import { operationsOf } from '../../src/api/document/operations.js';
import { animalNotAvailable, orderComplete } from '../../src/orders/orders.errors.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type FileRequest, readHttpFile } from './support/http-file.js';
import { knownErrors } from './support/known-errors.js';
import { type Service, startService } from './support/service.js';

/** The common errors that a single request can cause. */
const USUAL = [
  'invalid_json',
  'missing_field',
  'invalid_field',
  'unknown_field',
  'invalid_parameter',
  'unknown_parameter',
  'missing_api_key',
  'invalid_api_key',
  'not_found',
  'method_not_allowed',
  'unsupported_media_type',
] satisfies ErrorCode[];

/** The conflicts of the features in the file. */
const DECLARED = [animalNotAvailable, orderComplete].map(({ code }) => code);

describe('docs/pets.http', () => {
  let service: Service;
  let requests: FileRequest[];
  beforeAll(async () => {
    service = await startService();
    const text = await readFile(new URL('../../docs/pets.http', import.meta.url), 'utf8');
    requests = readHttpFile(text, { origin: service.origin, apiKey: service.key });
  });
  afterAll(() => service.stop());

  it('gets the answer that each request title promises', async () => {
    const promised = requests.map(({ title, status, code }) => ({ title, status, code }));
    const answered: typeof promised = [];
    for (const { title, method, url, headers, body } of requests) {
      const path = url.slice(service.origin.length);
      const answer = await service.call(method, path, { headers, ...(body !== undefined && { body }) });
      const code = answer.status < 400 ? undefined : (answer.json as { code: string }).code;
      answered.push({ title, status: answer.status, code });
    }
    expect(answered).toEqual(promised);
  });

  it('contains every operation on animals and orders, and every common error', async () => {
    const { text } = await service.call('GET', '/openapi.json');
    const document = JSON.parse(text) as OpenAPIObject;
    for (const { path, method } of operationsOf(document)) {
      if (!/^\/(pets|store\/orders)(\/|$)/.test(path)) continue; // other resources may have their own files
      const target = new RegExp(`/v1${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
      const found = requests.some(
        (request) =>
          request.method === method.toUpperCase() && request.status < 300 && target.test(request.url),
      );
      expect({ path, method, found }).toEqual({ path, method, found: true });
    }
    const codes = requests.map(({ code }) => code);
    for (const code of [...USUAL, ...DECLARED]) expect(codes).toContain(code);
    const known = [...knownErrors(document).keys()];
    for (const code of codes) expect(known).toContain(code ?? 'not_found');
  });
});
