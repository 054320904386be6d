import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../api/errors.js';
import { SERVICE_NAME } from '../common/config.js';

const CHALLENGE = { 'www-authenticate': `Bearer realm="${SERVICE_NAME}", error="insufficient_scope"` }; // RFC 6750

/** Refuses changes with a key that may only read. OPTIONS has no guards. */
@Injectable()
export class ReadOnlyKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const { caller, method } = context.switchToHttp().getRequest<FastifyRequest>();
    if (caller?.readOnly && method !== 'GET' && method !== 'HEAD')
      throw new ApiError('read_only_key', 'This API key may only read. Ask for one that may change things.', CHALLENGE);
    return true;
  }
}
