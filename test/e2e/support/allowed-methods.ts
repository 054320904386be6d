import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/api/document/operations.js';

/** The methods of an API path in the document, with HEAD beside GET, and OPTIONS. */
export function methodsOf(document: OpenAPIObject, path: string): string[] {
  const documented = operationsOf(document)
    .filter(({ route }) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`).test(path))
    .map(({ method }) => method.toUpperCase());
  return [...documented, ...(documented.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted();
}
