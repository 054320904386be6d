import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../../common/exchange.js';
import { DeprecatedCalls } from './deprecated-calls.js';
import { Deprecations } from './deprecations.js';

/**
 * Ends an operation on its day, and counts who calls it until then and after. As the guard of one operation it runs
 * after those of all, which check the key: a stranger learns nothing but 401.
 */
@Injectable()
export class SunsetGuard implements CanActivate {
  constructor(
    private readonly deprecations: Deprecations,
    private readonly calls: DeprecatedCalls,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler() as () => unknown;
    const { caller } = requestOf(context);
    if (caller) this.calls.count(handler.name, caller.name);
    const policy = this.deprecations.ofHandler(handler);
    if (policy?.isOver()) throw policy.gone();
    return true;
  }
}
