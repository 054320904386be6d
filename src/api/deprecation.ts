import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  type INestApplicationContext,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../common/clock.js';
import type { Metrics } from '../common/metrics.js';
import { ApiError } from './errors.js';

export interface DeprecationTerms {
  readonly deprecatedOn: Date;
  /** From this instant on the operation answers 410. */
  readonly sunsetOn: Date;
  /** Answers as after the sunset, for clients to test against. */
  readonly rehearsal: boolean;
  /** The URL of the replacement, and one sentence of advice. */
  readonly successor: string;
  readonly advice: string;
  /** The URL of the page that explains the deprecation. */
  readonly explained: string;
}

/** By the ids of operations. */
const policies = new Map<string, Type<DeprecationPolicy>>();

/** Deprecates an operation. The policy determines its headers, its sunset and its documentation. */
export function Deprecated(policy: Type<DeprecationPolicy>): MethodDecorator {
  const note: MethodDecorator = (_controller, operation) => void policies.set(operation as string, policy);
  return applyDecorators(note, UseGuards(policy), ApiOperation({ deprecated: true }));
}

export function policyOf(operation: string, app: INestApplicationContext): DeprecationPolicy | undefined {
  const policy = policies.get(operation);
  return policy && app.get(policy, { strict: false });
}

/**
 * The single source of a deprecated operation's headers, sunset and documentation; a subclass supplies the terms. As a
 * guard it runs after the global ones, so a request without a valid key gets 401 and nothing more.
 */
export abstract class DeprecationPolicy implements CanActivate {
  private readonly calls;

  constructor(
    private readonly clock: Clock,
    metrics: Metrics,
    readonly terms: DeprecationTerms,
  ) {
    const help = 'Calls of deprecated operations by the name of the key: whom to tell.';
    this.calls = metrics.counter('deprecated_operation_calls_total', help, ['operation', 'key']);
  }

  /** Sent with every answer of the operation (RFC 9745, RFC 8594, RFC 8288). */
  get headers(): Record<'deprecation' | 'sunset' | 'link', string> {
    const { deprecatedOn, sunsetOn, successor, explained } = this.terms;
    return {
      deprecation: `@${deprecatedOn.getTime() / 1000}`,
      sunset: sunsetOn.toUTCString(),
      link: `<${successor}>; rel="successor-version", <${explained}>; rel="deprecation"; type="text/html"`,
    };
  }

  get sunsetDay(): string {
    return this.terms.sunsetOn.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  }

  isOver(): boolean {
    return this.terms.rehearsal || this.clock.now() >= this.terms.sunsetOn.getTime();
  }

  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    this.calls.inc({ operation: context.getHandler().name, key: caller?.name });
    if (this.isOver())
      throw new ApiError('gone', `This operation was removed on ${this.sunsetDay}. ${this.terms.advice}`);
    return true;
  }
}
