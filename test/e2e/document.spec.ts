import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { parse as parseYaml } from 'yaml';
import { DeclaredErrors } from '../../src/api/errors/declared-errors.js';
import type { OperationObject } from '../../src/api/document/openapi-types.js';
import { codesOf, operationsOf, responsesOf } from '../../src/api/document/operations.js';
import { type Service, startService } from './support/service.js';

/** The routes that need no key. A new route needs one unless it is listed here. */
const PUBLIC_PATHS = ['/', '/health/live', '/health/ready', '/openapi.json', '/openapi.yaml'];
const isDocs = (path: string): boolean => path === '/docs' || path.startsWith('/docs/');

describe('The OpenAPI document', () => {
  let service: Service;
  let document: OpenAPIObject;
  beforeAll(async () => {
    service = await startService();
    document = JSON.parse((await service.call('GET', '/openapi.json')).text) as OpenAPIObject;
  });
  afterAll(() => service.stop());

  const operations = () => operationsOf(document);
  const routes = (): [path: string, method: string][] =>
    [...service.app.getHttpAdapter().getInstance().methodsOfPaths].flatMap(([path, methods]) =>
      [...methods].map((method): [string, string] => [path, method]),
    );

  describe('covers every route:', () => {
    it('a route is documented or listed as public', () => {
      const documented = operations().map(({ route, method }) => `${method.toUpperCase()} ${route}`);
      const strangers = routes()
        .filter(([path]) => !PUBLIC_PATHS.includes(path) && !isDocs(path))
        .map(([path, method]) => `${method.replace('HEAD', 'GET')} ${path}`)
        .filter((route) => !documented.includes(route));
      expect(strangers).toEqual([]);
    });

    it('every documented operation exists', () => {
      const known = routes().map(([path, method]) => `${method} ${path}`);
      for (const { route, method } of operations()) {
        expect(known).toContain(`${method.toUpperCase()} ${route}`);
      }
    });

    it('only the listed routes answer without a key', async () => {
      for (const [path, method] of routes()) {
        const answer = await service.call(method, path.replace(/:\w+/g, '1').replace('*', 'swagger-ui.css'));
        const open = PUBLIC_PATHS.includes(path) || isDocs(path);
        expect({ path, method, refused: answer.status === 401 }).toEqual({ path, method, refused: !open });
      }
    });

    it('an operation has a unique id, a summary, a tag and security', () => {
      const ids = operations().map(({ operation }) => operation.operationId);
      expect(ids).toEqual([...new Set(ids)]);
      expect(ids).toEqual(expect.arrayContaining(['listPets', 'createPet', 'getPet']));
      for (const { operation } of operations()) {
        expect(operation.summary).toEqual(expect.any(String));
        expect(operation.tags).toHaveLength(1);
        const about = { name: operation.tags![0], description: expect.any(String) };
        expect(document.tags).toContainEqual(about);
        expect(operation.security ?? document.security).toEqual([{ apiKey: [] }]);
      }
    });

    it('an error response has the Error schema and an example for each code, and there is a default', () => {
      for (const { operation } of operations()) {
        expect(operation.responses).toHaveProperty('default');
        for (const [status, response] of responsesOf(operation)) {
          if (status.startsWith('2')) continue;
          const { schema, examples = {} } = response.content!['application/json']!;
          expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
          if (status === 'default') continue;
          expect(Object.keys(examples)).not.toHaveLength(0);
          for (const [code, example] of Object.entries(examples)) {
            const value = { code, status: Number(status), message: expect.any(String) };
            expect(example).toMatchObject({ value });
          }
        }
      }
    });

    it('every error code an operation can return is documented, and the Error schema lists all codes', () => {
      const documented = new Set(
        operations().flatMap(({ operation }) =>
          responsesOf(operation)
            .filter(([status]) => !status.startsWith('2'))
            .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {})),
        ),
      );
      const codes = service.app
        .get(DeclaredErrors)
        .allKinds()
        .map(({ code }) => code);
      // method_not_allowed belongs to no operation.
      expect([...documented].toSorted()).toEqual(
        codes.filter((code) => code !== 'method_not_allowed').toSorted(),
      );
      const { description } = (
        document.components!.schemas!['Error'] as never as { properties: { code: { description: string } } }
      ).properties.code;
      for (const code of codes) expect(description).toContain(`\`${code}\``);
    });

    it('an operation that changes something can be repeated, unless it is a PUT, and needs a key', () => {
      const changing = operations().filter(({ method }) => ['post', 'patch', 'delete'].includes(method));
      const keysOf = ({ parameters = [] }: OperationObject) =>
        parameters.filter((one) => 'in' in one && one.name === 'Idempotency-Key');

      const described = changing.map(({ operation }) => ({
        id: operation.operationId,
        takes: keysOf(operation),
        refuses: ['invalid_idempotency_key', 'idempotency_key_reused'].every((code) =>
          codesOf(operation).has(code),
        ),
        replays: responsesOf(operation)
          .filter(([status]) => status.startsWith('2'))
          .every(([, { headers = {} }]) => 'Idempotency-Replayed' in headers),
        isPublic: operation.security?.length === 0,
      }));
      expect(described).toEqual(
        changing.map(({ operation: { operationId } }) => ({
          id: operationId,
          takes: [expect.objectContaining({ in: 'header', required: false })],
          refuses: true,
          replays: true,
          isPublic: false,
        })),
      );
    });

    it('every response documents X-Request-Id and Cache-Control', () => {
      for (const { operation } of operations()) {
        for (const [, { headers }] of responsesOf(operation)) {
          expect(headers).toMatchObject({
            'X-Request-Id': expect.anything(),
            'Cache-Control': expect.anything(),
          });
        }
      }
    });
  });

  describe('agrees with the specification', () => {
    it('on the title, servers, schemas and tags', () => {
      expect(document).toMatchObject({
        openapi: '3.1.0',
        info: { title: 'Animal Store Service', version: '1.0.0' },
        servers: [
          { url: '/v1' },
          { url: '{base_url}', variables: { base_url: { default: 'https://api.example.com/v1' } } },
          {
            url: '{staging_base_url}',
            variables: { staging_base_url: { default: 'https://staging.example.com/v1' } },
          },
        ],
        components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
      });
      expect(Object.keys(document.components!.schemas!)).toEqual(
        expect.arrayContaining(['Error', 'NewPet', 'Pet', 'PetStatus', 'Pets']),
      );
      expect(document.tags).toContainEqual({ name: 'pets', description: 'The catalogue of animals' });
    });

    it('on the schemas of animals', () => {
      const { NewPet, Pet, PetStatus, Pets } = document.components!.schemas as Record<string, unknown>;
      const fields = {
        name: { type: 'string', minLength: 1, maxLength: 255, pattern: expect.any(String) },
        categoryId: { type: 'integer', format: 'int64' },
        status: { allOf: [{ $ref: '#/components/schemas/PetStatus' }] },
      };
      expect(NewPet).toMatchObject({
        type: 'object',
        required: ['name', 'categoryId'],
        properties: fields,
        additionalProperties: false,
      });
      expect(Pet).toMatchObject({
        type: 'object',
        required: ['id', 'name', 'categoryId'],
        properties: { id: { type: 'integer', format: 'int64' }, ...fields },
      });
      expect(PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
      expect(Pets).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    });

    it('on listPets', () => {
      expect(document.paths['/pets']!.get).toMatchObject({
        parameters: [
          {
            name: 'limit',
            in: 'query',
            required: false,
            schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          },
          { name: 'after', in: 'query', required: false, schema: { type: 'integer', format: 'int64' } },
          {
            name: 'status',
            in: 'query',
            required: false,
            schema: { $ref: '#/components/schemas/PetStatus' },
          },
          {
            name: 'ids',
            in: 'query',
            required: false,
            style: 'form',
            explode: false,
            schema: {
              type: 'array',
              items: { type: 'integer', format: 'int64' },
              minItems: 1,
              maxItems: 100,
              uniqueItems: true,
            },
          },
        ],
        responses: {
          200: {
            headers: { Link: { $ref: '#/components/headers/PageLinks' } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pets' } } },
          },
        },
      });
      expect(statuses('/pets', 'get')).toEqual([
        '200',
        '400',
        '401',
        '408',
        '414',
        '429',
        '431',
        '500',
        '503',
        'default',
      ]);
    });

    it('on createPet, which links to getPet', () => {
      expect(document.paths['/pets']!.post).toMatchObject({
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewPet' } } },
        },
        responses: {
          201: {
            headers: { Location: { $ref: '#/components/headers/Location' } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
            links: { getPet: { operationId: 'getPet', parameters: { petId: '$response.body#/id' } } },
          },
        },
      });
      expect(statuses('/pets', 'post')).toEqual([
        '201',
        '400',
        '401',
        '408',
        '409',
        '413',
        '414',
        '415',
        '429',
        '431',
        '500',
        '503',
        'default',
      ]);
    });

    it('on getPet, which is deprecated', () => {
      expect(document.paths['/pets/{petId}']!.get).toMatchObject({
        deprecated: true,
        'x-sunset': '2030-12-05',
        description:
          '**Deprecated: this operation is to be removed on 5 December 2030.** Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.',
        parameters: [
          { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
        ],
      });
      expect(statuses('/pets/{petId}', 'get')).toEqual([
        '200',
        '400',
        '401',
        '404',
        '408',
        '410',
        '414',
        '429',
        '431',
        '500',
        '503',
        'default',
      ]);
      for (const status of [200, 401, 404, 410, 500, 503]) {
        expect(document.paths['/pets/{petId}']!.get!.responses[status]).toMatchObject({
          headers: {
            Deprecation: { $ref: '#/components/headers/Deprecation' },
            Sunset: { $ref: '#/components/headers/Sunset' },
            Link: { $ref: '#/components/headers/DeprecationLinks' },
          },
        });
      }
      for (const status of [400, 408, 414, 431, 'default']) {
        expect(document.paths['/pets/{petId}']!.get!.responses[status]).toMatchObject({
          headers: {
            Deprecation: { $ref: '#/components/headers/DeprecationIfKnown' },
            Sunset: { $ref: '#/components/headers/SunsetIfKnown' },
            Link: { $ref: '#/components/headers/DeprecationLinksIfKnown' },
          },
        });
      }
    });

    const statuses = (path: string, method: 'get' | 'post') =>
      Object.keys(document.paths[path]![method]!.responses);
  });

  it('has the same content in YAML', async () => {
    const yaml = await service.call('GET', '/openapi.yaml');
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parseYaml(yaml.text)).toEqual(document);
  });
});
