import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'lossless-json';
import type { ResponseObject } from '../../../src/api/document/openapi-types.js';
import { int64FromText } from '../../../src/common/int64/int64.js';
import { type DocumentedOperation, operationsOf } from '../../../src/api/document/operations.js';
import type { Answer } from './client.js';

const DOCUMENT = 'https://document.invalid/';

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Headers of HTTP, CORS and browser security; all others have to be documented. */
const TRANSPORT = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'vary',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'content-security-policy',
  'x-content-type-options',
  'referrer-policy',
  'strict-transport-security',
]);

/** Checks answers against the published document. */
export class Contract {
  private readonly document: OpenAPIObject;
  private readonly ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    formats: { int64: true, int32: true, 'date-time': isMoment, email: EMAIL, uri: URL.canParse, uuid: UUID },
    // Ajv only warns of an unknown format.
    logger: { log: fail, warn: fail, error: fail },
  });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(text: string) {
    this.document = JSON.parse(text) as OpenAPIObject;
    // Ajv divides, which rounds: 2499942183396.8 / 0.01 is no integer.
    this.ajv.removeKeyword('multipleOf').addKeyword({ keyword: 'multipleOf', validate: isMultiple });
    this.ajv.addSchema({ $id: DOCUMENT, ...this.document, components: closed(this.document.components) });
  }

  check(method: string, path: string, answer: Answer): void {
    const found = this.operation(method, path);
    if (!found) return;
    const shown = `${method} ${path.slice(0, 80)} answered ${answer.status}`;
    const response = found.operation.responses[answer.status] as ResponseObject | undefined;
    if (!response)
      throw new Error(`${shown}, which ${found.operation.operationId} does not document: ${answer.text}`);
    this.checkHeaders(shown, response, answer);
    if (!response.content) {
      if (answer.text !== '') throw new Error(`${shown} with a body, which is not documented`);
      return;
    }
    if (method === 'HEAD') return;
    checkNumbers(shown, answer.text);
    const pointer = ['paths', found.path, found.method, 'responses', String(answer.status)];
    const validate = this.validator([...pointer, 'content', 'application/json', 'schema']);
    if (!validate(JSON.parse(answer.text))) {
      throw new Error(
        `${shown} with a body that does not match its schema: ${this.ajv.errorsText(validate.errors)}\n${answer.text}`,
      );
    }
    this.checkCode(shown, found.operation.operationId ?? '', response, answer);
  }

  /** Finds the operation of a request. A trailing or doubled slash makes another path. */
  private operation(method: string, path: string): DocumentedOperation | undefined {
    const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
    const [bare = ''] = path.split('?', 1);
    return operationsOf(this.document).find(
      (candidate) =>
        candidate.method === wanted &&
        new RegExp(`^/v1${candidate.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(bare),
    );
  }

  private checkHeaders(shown: string, response: ResponseObject, answer: Answer): void {
    const [mediaType] = Object.keys(response.content ?? {});
    const contentType = mediaType && `${mediaType}; charset=utf-8`;
    if (answer.headers['content-type'] !== contentType) {
      throw new Error(`${shown} with the content type ${String(answer.headers['content-type'])}`);
    }
    const documented = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    const stranger = Object.keys(answer.headers).find(
      (name) => !documented.includes(name) && !TRANSPORT.has(name),
    );
    if (stranger) throw new Error(`${shown} with the header ${stranger}, which is not documented`);
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      const reference = (header as { $ref: string }).$ref.split('/').at(-1) ?? '';
      const { required } = (this.document.components?.headers?.[reference] ?? {}) as { required?: boolean };
      const value = answer.headers[name.toLowerCase()];
      if (value === undefined && required) throw new Error(`${shown} without the header ${name}`);
      const validate = this.validator(['components', 'headers', reference, 'schema']);
      if (value !== undefined && !validate(value)) throw new Error(`${shown} with ${name}: ${String(value)}`);
    }
  }

  private checkCode(
    shown: string,
    operationId: string,
    { content }: ResponseObject,
    { status, text }: Answer,
  ): void {
    if (status < 400) return;
    const listed = Object.keys(content?.['application/json']?.examples ?? {});
    const body = JSON.parse(text) as { code: string; status: number };
    if (!listed.includes(body.code))
      throw new Error(
        `${shown} with ${body.code}, which ${operationId} does not document: add @Refuses to ${operationId}`,
      );
    if (body.status !== status) throw new Error(`${shown} with status ${body.status} in the body`);
  }

  private validator(pointer: string[]): ValidateFunction {
    const path = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    let validate = this.validators.get(path);
    if (!validate) {
      validate = this.ajv.compile({ $ref: `${DOCUMENT}#/${encodeURI(path)}` });
      this.validators.set(path, validate);
    }
    return validate;
  }
}

/** Forbids undocumented members, although the published schemas of answers leave them open for future additions. */
function closed({ schemas = {}, ...components }: NonNullable<OpenAPIObject['components']> = {}): object {
  const shut = Object.entries(schemas).map(([name, schema]) => [
    name,
    'properties' in schema ? { additionalProperties: false, ...schema } : schema,
  ]);
  return { ...components, schemas: Object.fromEntries(shut) };
}

/** Answers have moments in one form: UTC with milliseconds. */
function isMoment(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;
}

/** Whether a number is a multiple of 1, 0.1, 0.01, and so on. */
function isMultiple(unit: number, value: number): boolean {
  return Number.isInteger(Number(`${value}e${Math.round(-Math.log10(unit))}`));
}

function fail(...message: unknown[]): never {
  throw new Error(message.join(' '));
}

/** Requires every number to be in plain digits, and no larger than is exact. The text is read: JSON.parse would round. */
function checkNumbers(shown: string, text: string): void {
  parse(text, undefined, (number) => {
    const isExact =
      int64FromText(number) !== undefined || (number.includes('.') && number === String(Number(number)));
    if (!isExact) throw new Error(`${shown} with the number ${number}`);
    return number;
  });
}
