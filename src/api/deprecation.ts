import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Counter } from 'prom-client';
import type { Clock } from '../common/clock.js';
import { Metrics } from '../common/metrics.js';
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

/**
 * The single source of a deprecated operation's headers, sunset and documentation. Each policy is an injectable subclass
 * that supplies the terms.
 */
export abstract class DeprecationPolicy {
  constructor(
    private readonly clock: Clock,
    readonly terms: DeprecationTerms,
  ) {}

  /** Sent with every answer of the operation (RFC 9745, RFC 8594, RFC 8288). */
  get headers(): Record<'deprecation' | 'sunset' | 'link', string> {
    const { deprecatedOn, sunsetOn, successor, explained } = this.terms;
    return {
      deprecation: `@${deprecatedOn.getTime() / 1000}`,
      sunset: sunsetOn.toUTCString(),
      link: `<${successor}>; rel="successor-version", <${explained}>; rel="deprecation"; type="text/html"`,
    };
  }

  isOver(): boolean {
    return this.terms.rehearsal || this.clock.now() >= this.terms.sunsetOn.getTime();
  }

  get sunsetDay(): string {
    const { sunsetOn } = this.terms;
    return sunsetOn.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  }
}

export const DEPRECATED = 'deprecated';

/** Deprecates an operation. The policy determines its headers, its sunset and its documentation. */
export function Deprecated(policy: Type<DeprecationPolicy>): MethodDecorator {
  return applyDecorators(SetMetadata(DEPRECATED, policy), UseGuards(SunsetGuard), ApiOperation({ deprecated: true }));
}

/** Bounds the number of time series; all further names share the label "other". */
const NAMES = 200;

/**
 * Counts the calls of a deprecated operation by key name, which tells operators whom to contact, and refuses them after
 * its sunset. It runs after the global guards, so a request without a valid key gets 401 and nothing more.
 */
@Injectable()
export class SunsetGuard implements CanActivate {
  private readonly calls: Counter<'operation' | 'key'>;
  private readonly names = new Set<string>();
  private readonly policies = new Map<unknown, DeprecationPolicy>();

  constructor(
    private readonly modules: ModuleRef,
    private readonly reflector: Reflector,
    metrics: Metrics,
  ) {
    this.calls = metrics.counter(
      'deprecated_operation_calls_total',
      `Calls of deprecated operations by the name of the key; names beyond the first ${NAMES} are "other".`,
      ['operation', 'key'],
    ) as Counter<'operation' | 'key'>;
  }

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (caller) this.count(handler.name, caller.name);
    const policy = this.policies.get(handler) ?? this.policyOf(handler);
    if (!policy.isOver()) return true;
    throw new ApiError('gone', `This operation was removed on ${policy.sunsetDay}. ${policy.terms.advice}`);
  }

  private policyOf(handler: ReturnType<ExecutionContext['getHandler']>): DeprecationPolicy {
    const type = this.reflector.get<Type<DeprecationPolicy>>(DEPRECATED, handler);
    const policy = this.modules.get(type, { strict: false });
    this.policies.set(handler, policy);
    return policy;
  }

  private count(operation: string, key: string): void {
    if (this.names.size < NAMES) this.names.add(key);
    this.calls.inc({ operation, key: this.names.has(key) ? key : 'other' });
  }
}
