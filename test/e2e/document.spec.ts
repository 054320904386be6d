import { basename } from 'node:path/posix';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { parse as parseYaml } from 'yaml';
import { describeInside } from './support/deployment.js';
import { operationsOf } from './support/operations.js';
import { type Service, startService } from './support/service.js';

/** What needs no key. A new route needs one unless it is listed here. */
const PUBLIC = /^\/(?:$|health\/(?:live|ready)$|openapi\.(?:json|yaml)$|docs(?:\/|$))/;

interface Response {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: object; examples?: Record<string, { value: object }> }>;
}

interface Sent {
  parameters: { name: string }[];
  requestBody?: { content: object };
}

describe('The OpenAPI document', () => {
  let service: Service;
  let document: OpenAPIObject;
  beforeAll(async () => {
    service = await startService();
    document = JSON.parse((await service.call('GET', '/openapi.json')).text) as OpenAPIObject;
  });
  afterAll(() => service.stop());

  const responsesOf = (operation: { responses: object }) =>
    Object.entries(operation.responses as Record<string, Response>).map(([status, each]) => {
      const shared = each.$ref && document.components!.responses![basename(each.$ref)];
      return [status, (shared || each) as Response] as const;
    });
  const errorsOf = (operation: { responses: object }) =>
    responsesOf(operation).filter(([status]) => !status.startsWith('2'));
  const codesOf = (operation: { responses: object }) =>
    errorsOf(operation).flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {}));

  describeInside('covers every route:', () => {
    /** The paths of all routes, from the tree that Fastify prints. */
    const paths = (): string[] => {
      const tree = service.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
      const parents: string[] = [];
      return [...tree.matchAll(/^([│ ]*)[├└]── (\S+) \(/gm)].map(([, indent = '', part = '']) => {
        parents.length = indent.length / 4;
        parents.push(part);
        return parents.join('');
      });
    };

    it('what is not public is documented, and refuses requests without a key', async () => {
      const documented = operationsOf(document).map(
        ({ method, path }) => `${method.toUpperCase()} /v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      );
      const found: string[] = [];
      for (const path of paths()) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          const { status } = await service.call(method, path.replaceAll(/:\w+/g, '1'));
          if (status === 401) found.push(`${method} ${path}`);
          else if (status !== 405 && status !== 404) expect(path).toMatch(PUBLIC);
        }
      }
      expect(found.toSorted()).toEqual(documented.toSorted());
    });
  });

  it('describes each operation: id, summary, tag, security, stability', () => {
    const operations = operationsOf(document);
    const ids = 'listPets createPet getPet listOrders createOrder getOrder updateOrder deleteOrder';
    expect(operations.map(({ id }) => id).join(' ')).toMatch(new RegExp(`^${ids}(?: |$)`)); // then those of later features
    for (const { path, operation } of operations) {
      const [, group] = path.split('/');
      expect(operation).toMatchObject({ summary: expect.any(String), tags: [group] });
      expect(document.tags).toContainEqual({ name: group, description: expect.any(String) });
      expect(operation['security'] ?? document.security).toEqual([{ apiKey: [] }]);
      if (group === 'store') expect(operation['x-stability']).toBe('experimental');
    }
  });

  it('has the common headers on each answer, an Error and an example for each code of each refusal, and a default', () => {
    for (const { operation } of operationsOf(document)) {
      expect(operation.responses).toHaveProperty('default');
      for (const [, { headers }] of responsesOf(operation))
        expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(['X-Request-Id', 'Cache-Control']));
      for (const [status, { content }] of errorsOf(operation)) {
        const { schema, examples = {} } = content!['application/json']!;
        expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
        if (status !== 'default') expect(Object.keys(examples)).not.toHaveLength(0);
        for (const [code, { value }] of Object.entries(examples))
          expect(value).toEqual({ code, status: expect.any(Number), message: expect.any(String) });
      }
    }
  });

  it('says of each change that it may be repeated under an Idempotency-Key, and needs a key that may do it', () => {
    for (const { method, operation } of operationsOf(document)) {
      const keys = (operation.parameters as { name: string; in: string; required: boolean }[] | undefined)
        ?.filter(({ name }) => name === 'Idempotency-Key')
        .map((key) => ({ in: key.in, required: key.required }));
      if (method === 'get') {
        expect(keys ?? []).toEqual([]);
        expect(operation.responses).not.toHaveProperty('403');
      } else {
        expect(keys).toEqual([{ in: 'header', required: false }]);
        const codes = ['read_only_key', 'invalid_idempotency_key', 'idempotency_key_reused'];
        expect(codesOf(operation)).toEqual(expect.arrayContaining(codes));
        const refused = Object.fromEntries(responsesOf(operation))['403'];
        expect(refused).toMatchObject({ headers: { 'WWW-Authenticate': {} } });
      }
    }
  });

  it('agrees with the specification on title, servers, security and schemas', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Animal Store Service', version: '1.0.0' },
      servers: [
        { url: '/v1' },
        { url: 'https://animals.example/v1', description: 'Production (base_url)' },
        { url: 'https://staging.animals.example/v1', description: 'Staging (staging_base_url)' },
      ],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    });
    const { NewPet, Pet, PetStatus, Pets, Error: error } = document.components!.schemas as Record<string, object>;
    const int64 = { type: 'integer', format: 'int64' };
    const name = { type: 'string', minLength: 1, maxLength: 255, pattern: expect.any(String) };
    const properties = { name, categoryId: int64, status: expect.anything() };
    const required = ['name', 'categoryId'];
    expect(NewPet).toMatchObject({ type: 'object', required, properties, additionalProperties: false });
    expect(Pet).toMatchObject({ type: 'object', properties: { ...properties, id: int64 } });
    expect(Pet).toHaveProperty('required', expect.arrayContaining(['id', ...required]));
    expect(PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    const code = { type: 'string', description: expect.stringContaining('/docs/guide#errors') };
    const [message, status] = [{ type: 'string' }, { type: 'integer' }];
    expect(error).toMatchObject({ required: ['code', 'message', 'status'], properties: { code, message, status } });
  });

  it('agrees with the specification on the operations on animals', () => {
    const { '/pets': pets, '/pets/{petId}': pet } = document.paths;
    const int64 = { type: 'integer', format: 'int64' };
    const inQuery = { in: 'query', required: false };
    const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
    const ids = { type: 'array', items: int64, minItems: 1, maxItems: 100, uniqueItems: true };
    const declared = pets!.get!.parameters!.toSorted((a, b) =>
      'name' in a && 'name' in b && a.name < b.name ? -1 : 1,
    );
    expect(declared).toMatchObject([
      { name: 'after', ...inQuery, schema: int64 },
      { name: 'ids', ...inQuery, style: 'form', explode: true, schema: ids },
      { name: 'limit', ...inQuery, schema: limit },
      { name: 'status', ...inQuery, schema: { $ref: '#/components/schemas/PetStatus' } },
    ]);
    const content = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } });
    expect(pets!.get!.responses).toMatchObject({ 200: { headers: { Link: {} }, content: content('Pets') } });
    expect(pets!.post).toMatchObject({
      requestBody: { required: true, content: content('NewPet') },
      responses: { 201: { headers: { Location: {} }, content: content('Pet') } },
    });
    expect(pet!.get).toMatchObject({
      deprecated: true,
      'x-sunset': '2030-12-05',
      'x-deprecated-reason': expect.stringContaining('5 December 2030'),
      description: expect.stringContaining('5 December 2030'),
      parameters: [{ name: 'petId', in: 'path', required: true, schema: int64 }],
    });
    const headers = { Deprecation: {}, Sunset: {}, Link: {} };
    for (const [status, answer] of responsesOf(pet!.get!))
      if (status !== 'default') expect(answer).toMatchObject({ headers });
  });

  it('declares the refusals that each operation on animals can give', () => {
    const statuses = (path: string, method: 'get' | 'post') =>
      Object.keys(document.paths[path]![method]!.responses).join(' ');
    expect(statuses('/pets', 'get')).toBe('200 400 401 408 414 429 431 500 503 default');
    expect(statuses('/pets', 'post')).toBe('201 400 401 403 408 409 413 414 415 429 431 500 503 default');
    expect(statuses('/pets/{petId}', 'get')).toBe('200 400 401 404 408 410 414 429 431 500 503 default');
  });

  it('has the same content in YAML', async () => {
    const yaml = await service.call('GET', '/openapi.yaml');
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parseYaml(yaml.text)).toEqual(document);
    expect(yaml.text).not.toMatch(/: [&*]\w+$/m); // some readers know no aliases
    for (const bound of ['minimum: -9223372036854775808', 'maximum: 9223372036854775807'])
      expect(yaml.text).toContain(bound); // not rounded
  });

  describe('for generators of clients', () => {
    it('has each refusal once, and one default for all operations', () => {
      const shared = Object.values(document.components!.responses!).map((each) => JSON.stringify(each));
      expect(new Set(shared).size).toBe(shared.length);
      for (const { responses } of operationsOf(document).map(({ operation }) => operation)) {
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
      for (const { operation } of operationsOf(document)) {
        const { requestBody, parameters } = operation as unknown as Sent;
        if (requestBody) expect(Object.keys(requestBody.content)).toEqual(['application/json']);
        for (const each of parameters) if (each.name === 'Idempotency-Key') expect(each).not.toHaveProperty('example');
      }
      const bodies = Object.entries(document.components!.schemas!).filter(([name]) => /^New|Change$/.test(name));
      expect(JSON.stringify(bodies)).not.toContain('"default"');
    });

    it('has an example of each header, with addresses of what it is about', () => {
      for (const header of Object.values(document.components!.headers!)) expect(header).toHaveProperty('example');
      const { get, post } = document.paths['/store/orders']!;
      const link = expect.stringMatching('^</v1/store/orders[?]');
      expect(get!.responses['200']).toHaveProperty('headers.Link.example', link);
      expect(post!.responses['201']).toHaveProperty('headers.Location.example', '/v1/store/orders/1');
    });
  });
});
