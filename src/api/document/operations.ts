import type { OpenAPIObject } from '@nestjs/swagger';
import { API_PREFIX } from '../../common/api-prefix.js';
import type { OperationObject, ParameterObject, ResponseObject } from './openapi-types.js';

export interface DocumentedOperation {
  readonly path: string;
  /** The path in the router's notation: `/v1/pets/:petId` for `/pets/{petId}`. */
  readonly route: string;
  readonly method: string;
  readonly operation: OperationObject;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Statuses that are sent only before routing. */
export const BEFORE_ROUTING = ['408', '414', '431', 'default'] as const;

export function operationsOf(document: OpenAPIObject): DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const route = API_PREFIX + path.replace(/\{(\w+)\}/g, ':$1');
    return METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, route, method, operation }] : [];
    });
  });
}

export function responsesOf(operation: OperationObject): [status: string, response: ResponseObject][] {
  return Object.entries(operation.responses) as [string, ResponseObject][];
}

export function parametersOf({ parameters = [] }: OperationObject): ParameterObject[] {
  return parameters.filter((parameter) => 'in' in parameter);
}

/** The error codes that an operation documents. */
export function codesOf(operation: OperationObject): Set<string> {
  const failures = responsesOf(operation).filter(([status]) => Number(status) >= 400);
  return new Set(
    failures.flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {})),
  );
}

export function schemaRef(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** Ends the name of a header that only answers have whose operation is known. */
export const IF_KNOWN = 'IfKnown';

export function headerRef(name: string): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
