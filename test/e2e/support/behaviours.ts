import { describe, expect, it } from '@jest/globals';
import { KeysService } from '../../../src/auth/keys.service.js';
import { generateKey } from '../../../src/auth/key-format.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import { methodsOf } from './allowed-methods.js';
import { call } from './client.js';
import { expectError } from './expectations.js';
import type { Service } from './service.js';

interface Route {
  method: string;
  path: string;
  body?: object;
}

/** Shared tests of every operation: requests without a valid key are refused. */
export function itRequiresAnApiKey(service: () => Service, { method, path, body }: Route): void {
  const send = (headers: Record<string, string>, to = path) =>
    service().call(method, to, { headers, ...(body && { body }) });

  describe('requires an API key', () => {
    it('refuses a request without one', async () => {
      const answer = await send({});
      expectError(answer, 'missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".');
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="animal-store"');
      expect(answer.headers['cache-control']).toBe('no-store');
    });

    it.each([
      ['an unknown key', () => `Bearer ${generateKey('test')}`],
      ['a mistyped key', () => `Bearer ${service().key.slice(0, -1)}!`],
      ['a key for another kind of deployment', () => `Bearer ${generateKey('live')}`],
      ['another scheme', () => `Basic ${Buffer.from('user:password').toString('base64')}`],
      ['a key without a scheme', () => service().key],
      ['a key followed by other text', () => `Bearer ${service().key} x`],
      ['an empty credential', () => 'Bearer '],
    ])('refuses %s', async (_, authorization) => {
      const answer = await send({ authorization: authorization() });
      expectError(answer, 'invalid_api_key');
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="animal-store", error="invalid_token"');
    });

    it('accepts the scheme in any case', async () => {
      const answer = await send({ authorization: `bEARER ${service().key}` });
      expect(answer.status).not.toBe(401);
    });

    it('ignores a key in the query or the body', async () => {
      expectError(await send({}, `${path}?access_token=${service().key}`), 'missing_api_key');
      const inBody = { ...body, access_token: service().key };
      expectError(await call(service().origin, method, path, { body: inBody }), 'missing_api_key');
    });

    it('refuses an expired key and says when it expired', async () => {
      const { key, expiresAt } = await service().app.get(KeysService).issue({ name: 'expired', lifeMs: -1 });
      const answer = await send({ authorization: `Bearer ${key}` });
      const day = expiresAt.toISOString().slice(0, 10);
      expectError(answer, 'expired_api_key', `The API key expired on ${day}. Ask for a new one.`);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="animal-store", error="invalid_token"');
    });

    it('refuses a revoked key', async () => {
      const keys = service().app.get(KeysService);
      const { id, key } = await keys.issue({ name: 'revoked' });
      await keys.revoke(id);
      expectError(await send({ authorization: `Bearer ${key}` }), 'invalid_api_key');
    });
  });
}

/** Shared tests of every path: unsupported methods, OPTIONS, similar paths and request ids. */
export function itAnswersErrors(service: () => Service, { path }: { path: string }): void {
  describe('answers errors', () => {
    it('refuses undocumented methods without asking for a key', async () => {
      const methods = await documentedMethods(service(), path);
      const allow = methods.join(', ');
      for (const method of METHODS.filter((one) => !methods.includes(one))) {
        const answer = await service().call(method, path);
        expectError(answer, 'method_not_allowed', `The methods of this resource are ${allow}.`);
        expect({ method, allow: answer.headers['allow'] }).toEqual({ method, allow });
      }
    });

    it('answers OPTIONS without asking for a key', async () => {
      const answer = await service().call('OPTIONS', path);
      expect({ status: answer.status, body: answer.text }).toEqual({ status: 204, body: '' });
      expect(answer.headers['allow']).toBe((await documentedMethods(service(), path)).join(', '));
    });

    it('answers 404 for a trailing or doubled slash', async () => {
      expectError(await service().get(`${path}/`), 'not_found');
      expectError(await service().get(path.replace('/v1/', '/v1//')), 'not_found');
    });

    it('keeps a well-formed request id and replaces any other', async () => {
      const sent = (id: string) => service().call('GET', path, { headers: { 'x-request-id': id } });
      expect((await sent('trace-1.A_b')).headers['x-request-id']).toBe('trace-1.A_b');
      expect((await sent('not well formed')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect((await sent('x'.repeat(129))).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });
  });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'LOCK'];

/** The methods of a path in the document, with those that the service adds. */
async function documentedMethods(service: Service, path: string): Promise<string[]> {
  const { text } = await service.call('GET', '/openapi.json');
  const methods = methodsOf(JSON.parse(text) as OpenAPIObject, path);
  expect(methods).not.toEqual(['OPTIONS']);
  return methods;
}
