import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './document/operations.js';
import type { RequestBodyObject } from './document/openapi-types.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The media types of request bodies. */
export const PLAIN_JSON = 'application/json';
export const MERGE_PATCH = 'application/merge-patch+json';

/** The media types of the bodies of each PATCH operation, by its route: `/v1/orders/:orderId`. */
export function patchTypesOf(document: OpenAPIObject): ReadonlyMap<string, readonly string[]> {
  return new Map(
    operationsOf(document)
      .filter(({ method }) => method === 'patch')
      .map(({ route, operation: { requestBody } }) => [
        route,
        Object.keys((requestBody as RequestBodyObject | undefined)?.content ?? {}),
      ]),
  );
}
