import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../../common/exchange.js';
import { DeprecatedCalls } from './deprecated-calls.js';
import { DeprecationRegistry } from './deprecation-registry.js';

/**
 * Counts the calls of a deprecated operation and refuses them after its sunset. Guards of an operation run after the
 * global ones, so a request without a valid key gets 401 and nothing more.
 */
@Injectable()
export class SunsetGuard implements CanActivate {
  constructor(
    private readonly deprecations: DeprecationRegistry,
    private readonly calls: DeprecatedCalls,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { name } = context.getHandler();
    const { caller } = requestOf(context);
    if (caller) this.calls.count(name, caller.name);
    const policy = this.deprecations.ofOperation(name);
    if (policy?.isOver()) throw policy.gone();
    return true;
  }
}
