import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Body, Controller, Delete, Get, Injectable, Module, Param, Patch, Put, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Resource } from '../../src/api/document/resource.decorator.js';
import { notFound } from '../../src/api/errors/api-error.js';
import { Deleted } from '../../src/api/responses/deleted.decorator.js';
import { Updated } from '../../src/api/responses/updated.decorator.js';
import { Field, OptionalField, PathParameter } from '../../src/api/validation/field.decorator.js';
import { int64, text } from '../../src/api/validation/rule.js';
import { LoadMonitor } from '../../src/edge/load-monitor.js';
import { addModule } from './support/add-module.js';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import type { Options } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { sendRaw } from './support/socket.js';

const LOST = 'lost';
const label = text({ minLength: 1, maxLength: 20 });

@ApiSchema({ name: 'NoteChange' })
class NoteChangeDto {
  @OptionalField(label, {})
  readonly label?: string;
}

@ApiSchema({ name: 'Note' })
class NoteDto {
  @Field(int64(), {})
  readonly id!: bigint;

  @Field(label, {})
  readonly label!: string;
}

class NotePath {
  @PathParameter(int64(), {})
  readonly noteId!: bigint;
}

@Injectable()
class Notes {
  readonly all = new Map([1n, 2n, 3n, 4n, 5n].map((id) => [id, { id, label: 'new' }]));

  get(id: bigint): NoteDto {
    if (id === 0n) throw new Error('Query read timeout');
    const note = this.all.get(id);
    if (!note) throw notFound('note');
    return note;
  }
}

@Resource('test-notes', 'Notes of this test')
@Controller('test-notes')
class NotesController {
  constructor(private readonly notes: Notes) {}

  @Get(':noteId')
  @ApiOperation({ summary: 'Get a note' })
  @ApiOkResponse({ type: NoteDto, description: 'The note.' })
  getNote(@Param() { noteId }: NotePath): NoteDto {
    return this.notes.get(noteId);
  }

  @Patch(':noteId')
  @ApiOperation({ summary: 'Change a note' })
  @ApiHeader({ name: 'X-Reason', required: false })
  @Updated({
    type: NoteDto,
    description: 'The changed note.',
    examples: {},
    path: NotePath,
    service: Notes,
    find: (notes, { noteId }) => notes.get(noteId),
  })
  updateNote(@Param() { noteId }: NotePath, @Body() change: NoteChangeDto): NoteDto {
    if (change.label === LOST) throw new Error('Query read timeout');
    return Object.assign(this.notes.get(noteId), change);
  }

  @Delete(':noteId')
  @ApiOperation({ summary: 'Delete a note' })
  @Deleted({ description: 'The note was deleted.' })
  deleteNote(@Param() { noteId }: NotePath): void {
    this.notes.get(noteId);
    this.notes.all.delete(noteId);
  }

  @Put(':noteId')
  @ApiOperation({ summary: 'Replace a note' })
  @ApiOkResponse({ type: NoteDto, description: 'The note.' })
  replaceNote(
    @Param() { noteId }: NotePath,
    @Body() note: NoteChangeDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): NoteDto {
    void reply.header('x-label', note.label);
    return { id: noteId, label: 'new', ...note };
  }
}

@Module({ controllers: [NotesController], providers: [Notes] })
class NotesModule {}

const ORIGIN = 'https://app.example.org';
const BOTH = 'application/json, application/merge-patch+json';

describeInside('PATCH and DELETE', () => {
  let service: Service;
  let document: OpenAPIObject;
  beforeAll(async () => {
    addModule(NotesModule);
    service = await startService({ corsOrigins: [ORIGIN] });
    document = JSON.parse((await service.call('GET', '/openapi.json')).text) as OpenAPIObject;
  });
  afterAll(() => service.stop());

  const send = (method: string, path: string, { headers, ...options }: Options = {}) =>
    service.call(method, path, {
      ...options,
      headers: { authorization: `Bearer ${service.key}`, ...headers },
    });
  const patch = (body: object | string, type = 'application/json', path = '/v1/test-notes/1') =>
    send('PATCH', path, { body, headers: { 'content-type': type } });

  itRequiresAnApiKey(() => service, { method: 'PATCH', path: '/v1/test-notes/1', body: {} });
  itRequiresAnApiKey(() => service, { method: 'DELETE', path: '/v1/test-notes/3' });
  itAnswersErrors(() => service, { path: '/v1/test-notes/1' });

  it.each([
    'application/json',
    'application/merge-patch+json',
    'Application/Merge-Patch+JSON; charset=utf-8',
  ])('a PATCH takes %s', async (type) => {
    expectAnswer(await patch({ label: type.slice(0, 20) }, type), 200, { id: 1, label: type.slice(0, 20) });
  });

  it.each([
    'text/plain',
    'application/json-patch+json',
    'application/merge-patch+json; charset=latin1',
    'application/merge-patch+json, application/json',
  ])('a PATCH refuses %s, and names what it takes', async (type) => {
    const answer = await patch({}, type);
    const message = 'Send the body with one Content-Type: application/json or application/merge-patch+json.';
    expectError(answer, 'unsupported_media_type', message);
    expect(answer.headers['accept-patch']).toBe(BOTH);
  });

  it('a PUT takes plain JSON only', async () => {
    const answer = await send('PUT', '/v1/test-notes/1', {
      body: {},
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expectError(answer, 'unsupported_media_type');
    expect(answer.headers).not.toHaveProperty('accept-patch');
  });

  it('a PATCH is checked like a POST', async () => {
    expectError(await patch('{"label":1}'), 'invalid_field');
    expectError(await patch('{"other":1}'), 'unknown_field');
    expectError(await patch('{'), 'invalid_json');
    expectError(await patch('{}'.padEnd(16_385)), 'payload_too_large');
    expectError(await patch('{}', 'application/json', '/v1/test-notes/x'), 'not_found');
    expectError(await patch('{}', 'application/json', '/v1/test-notes/9'), 'not_found');
  });

  it('a DELETE answers 204 without a body, with the common headers, and then 404', async () => {
    const { status, text: body, headers } = await send('DELETE', '/v1/test-notes/2');
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
      'ratelimit-policy': expect.any(String),
    });
    for (const name of ['content-type', 'content-length', 'transfer-encoding', 'allow']) {
      expect(headers).not.toHaveProperty(name);
    }
    expectError(await send('DELETE', '/v1/test-notes/2'), 'not_found');
  });

  it('the body of a DELETE is skipped, and the connection goes on unless the body has yet to arrive', async () => {
    const request = (line: string, length: number, body = '', end = '') =>
      `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
      `Content-Length: ${length}\r\n${end}\r\n${body}`;
    const received = await sendRaw(
      service.origin,
      request('DELETE /v1/test-notes/4', 9, '{"label":') +
        request('GET /v1/test-notes/4', 0) +
        request('DELETE /v1/test-notes/5', 50_000, 'x'),
    );
    expect(received.match(/HTTP\/1\.1 \d+|connection: close/gi)).toEqual([
      'HTTP/1.1 204',
      'HTTP/1.1 404',
      'HTTP/1.1 204',
      'connection: close',
    ]);
  });

  it('OPTIONS lists the methods and the media types of PATCH', async () => {
    const { headers } = await service.call('OPTIONS', '/v1/test-notes/1');
    expect(headers).toMatchObject({ allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT', 'accept-patch': BOTH });
    expect((await service.call('OPTIONS', '/v1/pets')).headers).not.toHaveProperty('accept-patch');
  });

  it('a preflight allows the methods of its path, and the headers of the document', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'PATCH' };
    const { headers: preflight } = await service.call('OPTIONS', '/v1/test-notes/1', { headers });
    expect(preflight).toMatchObject({
      'access-control-allow-methods': 'DELETE, GET, HEAD, PATCH, PUT',
      'access-control-allow-headers': 'Authorization, Content-Type, X-Request-Id, Idempotency-Key, X-Reason',
    });
    const exposed = String(preflight['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['Accept-Patch', 'Deprecation', 'Link', 'Location', 'RateLimit', 'Retry-After']),
    );
    const { headers: ofPets } = await service.call('OPTIONS', '/v1/pets/1', { headers });
    expect(ofPets['access-control-allow-methods']).toBe('GET, HEAD');
  });

  it('the document has both media types, 404, and a 204 without content', () => {
    const { patch: update, delete: remove } = document.paths['/test-notes/{noteId}']!;
    const body = update!.requestBody as { content: object };
    expect(Object.keys(body.content)).toEqual(['application/json', 'application/merge-patch+json']);
    expect(remove!.responses[204]).not.toHaveProperty('content');
    for (const operation of [update!, remove!]) expect(operation.responses).toHaveProperty('404');
  });

  it('a change whose statement is not answered says that its outcome is unknown; a read does not', async () => {
    const unknown =
      'The database did not answer in time, so the outcome is unknown: send it again under its Idempotency-Key, or look whether it took effect.';
    expectError(await patch({ label: LOST }), 'service_unavailable', unknown);
    expectError(await send('DELETE', '/v1/test-notes/0'), 'service_unavailable', unknown);
    const away = 'The database cannot be reached at the moment.';
    expectError(await service.get('/v1/test-notes/0'), 'service_unavailable', away);
  });

  it('a header that cannot be sent is an internal error', async () => {
    const body = { label: '🐾' };
    expectError(await send('PUT', '/v1/test-notes/1', { body }), 'internal_error');
    expect(service.log.some((line) => line.includes('The header x-label cannot be sent'))).toBe(true);
  });

  it('overload is refused as for other methods, and all requests were released', async () => {
    const load = service.app.get(LoadMonitor);
    expect(load.inFlight).toBe(0);
    Object.defineProperty(load, 'isOverloaded', { value: true, configurable: true });
    try {
      for (const method of ['PATCH', 'DELETE']) {
        expectError(await send(method, '/v1/test-notes/1'), 'service_unavailable');
      }
    } finally {
      delete (load as { isOverloaded?: boolean }).isOverloaded;
    }
  });
});
