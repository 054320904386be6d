import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERRORS, type ErrorCode } from '../../src/api/errors/error-catalogue.js';
import { operationsOf } from '../../src/api/document/operations.js';
import { type FileRequest, readHttpFile } from './support/http-file.js';
import { type Service, startService } from './support/service.js';

/** The common errors that a single request can cause. */
const USUAL: ErrorCode[] = [
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
];

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

  it('contains every operation on animals and every common error', async () => {
    const document = (await service.call('GET', '/openapi.json')).text;
    for (const { path, method } of operationsOf(JSON.parse(document) as never)) {
      if (!/^\/pets(\/|$)/.test(path)) continue; // other resources may have their own files
      const target = new RegExp(`/v1${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
      const found = requests.some(
        (request) =>
          request.method === method.toUpperCase() && request.status < 300 && target.test(request.url),
      );
      expect({ path, method, found }).toEqual({ path, method, found: true });
    }
    const codes = requests.map(({ code }) => code);
    for (const code of USUAL) expect(codes).toContain(code);
    for (const code of codes) expect(Object.keys(ERRORS)).toContain(code ?? 'not_found');
  });
});
