import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type Answer, call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { addKey, Programs } from './support/process.js';
import { until } from './support/until.js';

interface Span {
  traceId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
}
interface Export {
  resourceSpans: { resource: { attributes: object[] }; scopeSpans: { spans: Span[] }[] }[];
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SERVER = 2;

describeInside('Traces', () => {
  let collector: Server;
  let database: TestDatabase;
  let programs: Programs;
  let key: string;
  let answer: Answer;
  let received = '';
  let log: string;
  let code: number | null;
  let exported: Export['resourceSpans'];
  let spans: Span[];

  beforeAll(async () => {
    const bodies: Promise<string>[] = [];
    collector = createServer((request) => {
      bodies.push(text(request)); // and does not answer
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    database = await createDatabase();
    programs = new Programs({ DATABASE_URL: database.url, OTEL_RESOURCE_ATTRIBUTES: 'team=x' });
    const { port } = collector.address() as AddressInfo;
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      SHUTDOWN_DRAIN_MS: '0',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    };
    const { origin, ended, signal } = await programs.serve(settings);
    await until(async () => (await call(origin, 'GET', '/health/ready')).status === 200);
    key = await addKey(database);
    const authorization = `Bearer ${key}`;
    const traced = { authorization, traceparent: `00-${TRACE}-${CALLER}-01` };
    answer = await call(origin, 'GET', '/v1/pets?limit=2', { headers: traced });
    const body = { name: 'Nobody sees this name', categoryId: 1 };
    await call(origin, 'POST', '/v1/pets', { headers: { authorization }, body });
    for (const path of ['/v1/pets/4242', `/${key}/pets`, `/v1/pets?api_key=${key}`]) await call(origin, 'GET', path);
    signal('SIGHUP'); // which sends the spans
    ({ out: log, code } = await ended);
    const all = await Promise.all(bodies);
    received = all.join('\n');
    exported = all.flatMap((one) => (JSON.parse(one) as Export).resourceSpans);
    spans = exported.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
  afterAll(async () => {
    await programs.stop();
    collector.close();
    await database.drop();
  });

  it("continue the caller's trace, and name the route", () => {
    expect([answer.status, code]).toEqual([200, 0]); // the end does not wait long for a collector
    const own = spans.filter(({ traceId }) => traceId === TRACE);
    expect(own).toContainEqual(expect.objectContaining({ name: 'GET /v1/pets', kind: SERVER, parentSpanId: CALLER }));
    expect(own).toContainEqual(expect.objectContaining({ name: expect.stringMatching(/^pg\.query:/) }));
    expect(spans.filter(({ kind, parentSpanId }) => !parentSpanId && kind !== SERVER)).toEqual([]);
  });

  it('have the route in place of a path, and of an unknown path nothing', () => {
    const paths = [...received.matchAll(/"url\.path","value":\{"stringValue":"(.*?)"/g)].map(([, path]) => path);
    expect(new Set(paths)).toEqual(new Set(['/v1/pets', '/v1/pets/:petId']));
  });

  it('name the service, and contain no key, no body and no values of statements', () => {
    const names = exported.flatMap(({ resource }) => resource.attributes);
    expect(names).toContainEqual({ key: 'service.name', value: { stringValue: 'animal-store' } });
    expect(names).toContainEqual({ key: 'team', value: { stringValue: 'x' } });
    expect(received).not.toContain(key);
    expect(received).not.toContain('Nobody sees this name');
  });

  it('are named by the lines of the log', () => {
    const line = log.split('\n').find((each) => each.includes(String(answer.headers['x-request-id'])));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ time: expect.stringMatching(/Z$/), traceId: TRACE, status: 200 });
  });
});
