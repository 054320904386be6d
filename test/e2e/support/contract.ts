import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ResponseObject } from '../../../src/common/openapi/types.js';
import { type DocumentedOperation, operationsOf } from '../../../src/common/openapi/operations.js';
import type { Answer } from './client.js';

const DOCUMENT = 'https://document.invalid/';

/** The published document as a judge: an answer that it does not describe is a failure. */
export class Contract {
  private readonly document: OpenAPIObject;
  private readonly ajv = new Ajv2020({ strict: false, formats: { int64: true, int32: true } });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(text: string) {
    this.document = JSON.parse(text) as OpenAPIObject;
    this.ajv.addSchema({ $id: DOCUMENT, ...this.document });
  }

  check(method: string, path: string, answer: Answer): void {
    const found = this.operation(method, path);
    if (!found) return;
    const shown = `${method} ${path.slice(0, 80)} answered ${answer.status}`;
    const response = found.operation.responses[answer.status] as ResponseObject | undefined;
    if (!response) throw new Error(`${shown}, which ${found.operation.operationId} does not document`);
    this.checkHeaders(shown, response, answer);
    if (method === 'HEAD') return;
    const pointer = ['paths', found.path, found.method, 'responses', String(answer.status)];
    const validate = this.validator([...pointer, 'content', 'application/json', 'schema']);
    if (!validate(JSON.parse(answer.text))) {
      throw new Error(
        `${shown} with a body that is not as documented: ${this.ajv.errorsText(validate.errors)}\n${answer.text}`,
      );
    }
  }

  /** The operation that a request is for. A trailing or doubled slash makes another path. */
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
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      const reference = (header as { $ref: string }).$ref.split('/').at(-1) ?? '';
      const { required } = (this.document.components?.headers?.[reference] ?? {}) as { required?: boolean };
      const value = answer.headers[name.toLowerCase()];
      if (value === undefined && required) throw new Error(`${shown} without the header ${name}`);
      const validate = this.validator(['components', 'headers', reference, 'schema']);
      if (value !== undefined && !validate(value)) throw new Error(`${shown} with ${name}: ${String(value)}`);
    }
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
