import { applyDecorators, type ExecutionContext, type INestApplicationContext, UseGuards } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Counter, Registry } from 'prom-client';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config.js';
import { ApiError } from './errors.js';
import { addToRoute } from './route-config.js';

interface DeprecationTerms {
  readonly deprecatedOn: Date;
  /** From this instant on the operation answers 410. */
  readonly sunsetOn: Date;
  /** The path of the replacement, and one sentence of advice. */
  readonly successor: string;
  readonly advice: string;
}

export interface Deprecation {
  /** The name of the handler. */
  readonly operation: string;
  readonly termsOf: (config: Config) => DeprecationTerms;
}

/** Deprecates an operation. Put it lowest, or it removes the summary, and 415 precedes 410 (relies on Nest's order). */
export function Deprecated(termsOf: Deprecation['termsOf']): MethodDecorator {
  const announce: MethodDecorator = (controller, name, descriptor) =>
    addToRoute({ deprecation: { operation: String(name), termsOf } })(controller, name, descriptor);
  return applyDecorators(announce, UseGuards({ canActivate: admit }), ApiOperation({ deprecated: true }));
}

/** Runs after the global guards, so a request without a valid key gets 401, and is not counted as a call. */
function admit(context: ExecutionContext): true {
  const { caller, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
  const { calls, isOver, sunsetDay, advice } = routeOptions.config.policy!;
  calls.inc({ operation: context.getHandler().name, key: caller?.name });
  if (isOver()) throw new ApiError('gone', `This operation was removed on ${sunsetDay}. ${advice}`);
  return true;
}

export type DeprecationPolicy = ReturnType<typeof policyOf>;

/** The single source of a deprecated operation's headers, sunset and documentation. */
export function policyOf({ operation, termsOf }: Deprecation, app: INestApplicationContext) {
  const [config, clock, registry] = [app.get(Config), app.get(Clock), app.get(Registry)];
  const terms = termsOf(config);
  const { deprecatedOn, sunsetOn, successor } = terms;
  const explained = `${config.docsUrl}/guide#the-end-of-${operation.toLowerCase()}`;
  const name = 'deprecated_operation_calls_total';
  const help = 'Calls of deprecated operations, by the name of the key, to find the clients that have to change.';
  const calls = registry.getSingleMetric(name) as Counter<'operation' | 'key'> | undefined;
  return {
    ...terms,
    sunsetDay: sunsetOn.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
    /** Sent with every answer of the operation (RFC 9745, RFC 8594, RFC 8288). */
    headers: {
      deprecation: `@${deprecatedOn.getTime() / 1000}`,
      sunset: sunsetOn.toUTCString(),
      link: `<${config.apiBase}${successor}>; rel="successor-version", <${explained}>; rel="deprecation"; type="text/html"`,
    },
    isOver: () => config.sunsetRehearsal || clock.now() >= sunsetOn.getTime(),
    calls: calls ?? new Counter({ name, help, labelNames: ['operation', 'key'], registers: [registry] }),
  };
}
