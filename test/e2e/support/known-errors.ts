import type { OpenAPIObject } from '@nestjs/swagger';
import type { ResponseObject } from '../../../src/api/document/openapi-types.js';
import { operationsOf } from '../../../src/api/document/operations.js';
import { ERRORS } from '../../../src/api/errors/error-catalogue.js';

/** The status of every error code: those of the catalogue, and those that the operations of a document declare. */
export function knownErrors(document: OpenAPIObject): ReadonlyMap<string, number> {
  const responses = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  const values = (responses as ResponseObject[]).flatMap(({ content }) =>
    Object.values(content?.['application/json']?.examples ?? {}).map(
      (example) => (example as { value: { code?: string; status?: number } }).value,
    ),
  );
  return new Map([
    ...values.flatMap(({ code, status }) =>
      code !== undefined && status !== undefined ? [[code, status] as const] : [],
    ),
    ...Object.entries(ERRORS).map(([code, { status }]) => [code, status] as const),
  ]);
}
