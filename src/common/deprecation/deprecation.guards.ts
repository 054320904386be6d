import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { replyOf, requestOf } from '../http/exchange.js';
import { DeprecatedCalls } from '../metrics/deprecated-calls.js';
import { Deprecations } from './deprecations.js';

/** Announces a deprecation. A guard that always lets pass, because the answers of the other guards carry it too. */
@Injectable()
export class DeprecationHeadersGuard implements CanActivate {
  constructor(private readonly deprecations: Deprecations) {}

  canActivate(context: ExecutionContext): boolean {
    const policy = this.deprecations.ofHandler(context.getHandler() as () => unknown);
    if (policy) replyOf(context).headers(policy.headers);
    return true;
  }
}

/** Ends an operation on its day, and counts who calls it until then and after. It runs after the key was checked: a stranger learns nothing but 401. */
@Injectable()
export class SunsetGuard implements CanActivate {
  constructor(
    private readonly deprecations: Deprecations,
    private readonly calls: DeprecatedCalls,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler() as () => unknown;
    const policy = this.deprecations.ofHandler(handler);
    const { user } = requestOf(context);
    if (policy && user) this.calls.count(handler.name, user.name);
    if (policy?.isOver()) throw policy.gone();
    return true;
  }
}
