import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Tracing } from '../../src/observability/tracing.js';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { type Service, startService } from './support/service.js';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: Attribute[];
}
interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

describe('Traces', () => {
  let collector: Server;
  let service: Service;
  let log: string[];
  let key: string;
  let ids: string[];
  let received = '';
  let spans: Span[];
  let exported: Export[];

  /** Sends the requests of all tests here, because stopping the service flushes the spans. */
  beforeAll(async () => {
    const bodies: Promise<string>[] = [];
    collector = createServer((request, response) => {
      bodies.push(
        text(request).finally(() =>
          response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
        ),
      );
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    service = await startService({ tracesEndpoint: `http://127.0.0.1:${port}/` });
    ({ log, key } = service);
    const traceparent = `00-${TRACE}-${CALLER}-01`;
    const tracing = service.app.get(Tracing);
    const pets = service.app.get(PetsRepository);
    const { findPage } = pets;
    pets.findPage = (query) => tracing.span('statement', {}, () => findPage.call(pets, query));
    const outcomes = [
      await service.get('/v1/pets?limit=2', { headers: { traceparent, tracestate: 'vendor=1' } }),
      await service.get('/v1/pets/77'),
      await service.post('/v1/pets', { name: 'Nobody sees this name', categoryId: 1 }),
      await service.call('GET', '/nowhere'),
    ];
    ids = outcomes.map(({ headers }) => String(headers['x-request-id']));
    await tracing.span('outer', { part: 'test' }, () =>
      tracing.span('inner', {}, () => Promise.reject(new TypeError('a secret'))).catch(() => {}),
    );
    await service.stop();
    const all = await Promise.all(bodies);
    received = all.join('\n');
    exported = all.map((body) => JSON.parse(body) as Export);
    spans = exported.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  });
  afterAll(() => void collector.close());

  const span = (name: string): Span | undefined => spans.find((candidate) => candidate.name === name);
  const attributesOf = (attributes: Attribute[] = []) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

  it("continue the caller's trace", () => {
    expect(span('GET /v1/pets')).toMatchObject({
      traceId: TRACE,
      traceState: 'vendor=1',
      parentSpanId: CALLER,
      kind: 2,
    });
    expect(attributesOf(span('GET /v1/pets')?.attributes)).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/pets',
      'http.response.status_code': 200,
      'url.path': '/v1/pets',
      'url.scheme': 'http',
    });
  });

  it('start a new trace without a traceparent', () => {
    expect(span('GET /v1/pets/:petId')?.parentSpanId ?? '').toBe('');
    expect(span('GET /v1/pets/:petId')?.traceId).toMatch(/^(?!0{32})[\da-f]{32}$/);
    expect(attributesOf(span('GET /v1/pets/:petId')?.attributes)['http.response.status_code']).toBe(404);
    expect(span('POST /v1/pets')).toBeDefined();
    expect(span('GET')).toBeDefined();
  });

  it('attach spans of the work to the request', () => {
    expect(span('statement')).toMatchObject({ traceId: TRACE, parentSpanId: span('GET /v1/pets')?.spanId });
  });

  it('nest spans and record errors', () => {
    const [outer, inner] = [span('outer'), span('inner')];
    expect(inner).toMatchObject({
      traceId: outer?.traceId,
      parentSpanId: outer?.spanId,
      status: { code: 2 },
    });
    expect(attributesOf(inner?.attributes)).toEqual({ 'error.type': 'TypeError' });
    expect(attributesOf(outer?.attributes)).toEqual({ part: 'test' });
  });

  it('name the service, and contain no keys, bodies or error messages', () => {
    const [resource] = exported.flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => resource));
    expect(attributesOf(resource?.attributes)['service.name']).toBe('animal-store');
    expect(received).not.toContain(key);
    expect(received).not.toContain('Nobody sees this name');
    expect(received).not.toContain('a secret');
  });

  it('are linked from the log by trace id', () => {
    const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const line = lines.find(({ requestId, msg }) => requestId === ids[0] && msg === 'request');
    expect(line).toMatchObject({ traceId: TRACE, route: '/v1/pets', status: 200, key: 'tests' });
  });
});

describe('Tracing without a collector', () => {
  it('runs the work without a span', async () => {
    expect(await new Tracing().span('name', {}, () => Promise.resolve(1))).toBe(1);
  });
});
