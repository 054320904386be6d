import { isDay } from '../../../src/common/clock.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'lossless-json';
import { int64FromText } from '../../../src/common/int64.js';
import type { Answer } from './client.js';
import { type DocumentedOperation, operationsOf } from './operations.js';

const DOCUMENT = 'https://document.invalid/';

/** Headers of HTTP, CORS and browser security. All others have to be documented. */
const TRANSPORT = new Set([
  ...'content-type content-length date connection keep-alive vary'.split(' '),
  ...'access-control-allow-origin access-control-expose-headers'.split(' '),
  ...'content-security-policy x-content-type-options referrer-policy strict-transport-security'.split(' '),
]);

type Described = Record<string, unknown>;

/** Judges answers by the published document. */
export class Contract {
  readonly document: OpenAPIObject;
  private readonly ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    formats: { int64: true, int32: true, date: isDay, 'date-time': isInstant },
    logger: { log: fail, warn: fail, error: fail }, // Ajv only warns of an unknown format
  });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(text: string) {
    this.document = JSON.parse(text) as OpenAPIObject;
    this.ajv.addSchema({ $id: DOCUMENT, ...this.document, components: closed(this.document.components) });
  }

  /** Throws if the operation does not document this answer. Other paths have no contract. */
  check(method: string, path: string, answer: Answer): void {
    const found = this.operation(method, path);
    if (!found) return;
    const shown = `${method} ${path.slice(0, 80)} answered ${answer.status}`;
    const response = found.operation.responses[answer.status];
    if (!response) fail(`${shown}, which ${found.id} does not document: ${answer.text}`);
    const place = ['paths', found.path, found.method, 'responses', String(answer.status)];
    const pointer = response.$ref?.slice(2).split('/') ?? place;
    this.checkHeaders(shown, pointer, answer);
    if (!('content' in this.at(pointer))) {
      if (answer.text !== '') fail(`${shown} with a body, which is not documented`);
      return;
    }
    if (method === 'HEAD') return;
    checkNumbers(shown, answer.text);
    this.judge(`${shown} with a body`, [...pointer, 'content', 'application/json', 'schema'], JSON.parse(answer.text));
    if (answer.status >= 400) this.checkCode(`${shown} of ${found.id}`, pointer, answer);
  }

  /** A trailing or doubled slash makes another path. */
  private operation(method: string, path: string): DocumentedOperation | undefined {
    const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
    const [bare = ''] = path.split('?', 1);
    return operationsOf(this.document).find((each) => each.method === wanted && each.pattern.test(bare));
  }

  private checkHeaders(shown: string, pointer: string[], { headers }: Answer): void {
    const { content, headers: documented = {} } = this.at(pointer) as {
      content?: Described;
      headers?: Described;
    };
    const [mediaType] = Object.keys(content ?? {});
    if (headers['content-type'] !== (mediaType && `${mediaType}; charset=utf-8`))
      fail(`${shown} with the content type ${String(headers['content-type'])}`);
    const names = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
    const stranger = Object.keys(headers).find((name) => !names.has(name) && !TRANSPORT.has(name));
    if (stranger) fail(`${shown} with the header ${stranger}, which is not documented`);
    for (const [name, header] of Object.entries(documented)) {
      const reference = (header as { $ref?: string }).$ref;
      const place = reference ? reference.slice(2).split('/') : [...pointer, 'headers', name];
      const value = headers[name.toLowerCase()];
      if (value !== undefined) this.judge(`${shown} with ${name}: ${String(value)}`, [...place, 'schema'], value);
      else if (this.at(place)['required']) fail(`${shown} without the header ${name}`);
    }
  }

  private checkCode(shown: string, pointer: string[], { status, text }: Answer): void {
    const listed = this.at([...pointer, 'content', 'application/json'])['examples'] ?? {};
    const body = JSON.parse(text) as { code: string; status: number };
    if (!(body.code in (listed as Described))) fail(`${shown} with ${body.code}, which is not documented`);
    if (body.status !== status) fail(`${shown} with status ${body.status} in the body`);
  }

  private at(pointer: string[]): Described {
    return pointer.reduce<Described>((part, name) => part[name] as Described, this.document as never);
  }

  private judge(shown: string, pointer: string[], value: unknown): void {
    const path = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const validate = this.validators.get(path) ?? this.ajv.compile({ $ref: `${DOCUMENT}#/${encodeURI(path)}` });
    this.validators.set(path, validate);
    if (!validate(value)) fail(`${shown} against its schema: ${this.ajv.errorsText(validate.errors)}`, value);
  }
}

/** Forbids undocumented members, although the published schemas of answers leave room for future ones. */
function closed({ schemas = {}, ...components }: NonNullable<OpenAPIObject['components']> = {}): object {
  const shut = Object.entries(schemas).map(([name, schema]) => [
    name,
    'properties' in schema ? { additionalProperties: false, ...schema } : schema,
  ]);
  return { ...components, schemas: Object.fromEntries(shut) };
}

/** Answers have instants in one form: UTC with milliseconds. */
function isInstant(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;
}

function fail(...message: unknown[]): never {
  throw new Error(message.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '));
}

/** Requires plain digits within int64. The text is read, because JSON.parse would round. */
function checkNumbers(shown: string, text: string): void {
  parse(text, undefined, (number) => {
    if (int64FromText(number) === undefined) fail(`${shown} with the number ${number}`);
    return number;
  });
}
