import type { OpenAPIObject } from '@nestjs/swagger';

export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** As in the document. */
  readonly path: string;
  /** Of the paths that lead to it. */
  readonly pattern: RegExp;
  readonly operation: {
    responses: Record<string, { $ref?: string }>;
    parameters?: object[];
    [member: string]: unknown;
  };
}

/** The operations of a document, which has `/v1` as its first server. */
export function operationsOf({ paths }: OpenAPIObject): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, never>).map(([method, operation]) => ({
      id: String(operation['operationId']),
      method,
      path,
      pattern: new RegExp(`^/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      operation,
    })),
  );
}
