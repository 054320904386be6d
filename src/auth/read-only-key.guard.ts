import type { CanActivate } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../api/errors.js';
import { SERVICE_NAME } from '../common/config.js';

const CHALLENGE = { 'www-authenticate': `Bearer realm="${SERVICE_NAME}", error="insufficient_scope"` }; // RFC 6750

/** Refuses changes with a key that may only read. OPTIONS has no guards. */
export const readOnlyKeyGuard: CanActivate = {
  canActivate(context) {
    const { caller, method } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller?.readOnly || method === 'GET' || method === 'HEAD') return true;
    throw new ApiError('read_only_key', 'This API key may only read. Ask for one that may change things.', CHALLENGE);
  },
};
