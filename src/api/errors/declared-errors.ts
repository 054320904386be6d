import { Injectable } from '@nestjs/common';
import { OperationHandlers } from '../document/operation-handlers.js';
import type { DeclaredError } from './declare-error.js';
import { ERROR_CODES, type ErrorKind, kindOf } from './error-catalogue.js';
import { REFUSES } from './refuses.decorator.js';

/** The errors that features declare, by the operations that refuse with them. */
@Injectable()
export class DeclaredErrors {
  private cached?: ReadonlyMap<string, readonly DeclaredError[]>;

  constructor(private readonly handlers: OperationHandlers) {}

  ofOperation(operationId: string): readonly DeclaredError[] {
    return this.byOperation.get(operationId) ?? [];
  }

  /** Every error of the service, by status. */
  allKinds(): ErrorKind[] {
    const kinds = new Map<string, ErrorKind>(ERROR_CODES.map((code) => [code, kindOf(code)]));
    for (const error of [...this.byOperation.values()].flat()) {
      const { code, status, when } = kinds.get(error.code) ?? error;
      if (status !== error.status || when !== error.when)
        throw new Error(`The error ${code} is declared twice, with different terms. Declare it once.`);
      kinds.set(code, error);
    }
    return [...kinds.values()].toSorted((a, b) => a.status - b.status);
  }

  /** The constraints that are translated, each with its operation. */
  constraints(): { operationId: string; constraint: string }[] {
    return [...this.byOperation].flatMap(([operationId, errors]) =>
      errors.flatMap(({ constraints }) => constraints.map((constraint) => ({ operationId, constraint }))),
    );
  }

  private get byOperation(): ReadonlyMap<string, readonly DeclaredError[]> {
    return (this.cached ??= this.handlers.metadata<DeclaredError[]>(REFUSES));
  }
}
