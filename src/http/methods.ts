import { METHODS } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { mediaTypesOf } from '../api/body.js';
import { ApiError } from '../api/errors.js';

/** What OPTIONS says to listed origins. An asterisk does not stand for Authorization. */
const PREFLIGHT = {
  preflight: true,
  preflightContinue: true,
  strictPreflight: false,
  allowedHeaders: 'Authorization, *',
  maxAge: 600,
};

/** Adds OPTIONS to each path that is registered from now on, and answers all other methods with 405. */
export function answerOtherMethods(app: NestFastifyApplication, origins: string[]): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const paths = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ url, method }) => {
    paths.set(url, new Set([...(paths.get(url) ?? []), ...[method].flat()]));
  });
  // Fastify loads plugins when all routes are registered.
  void fastify.register(async (plugin) => {
    for (const [url, methods] of paths) answerOthers(plugin, url, methods);
  });
  // Preflights are left to OPTIONS of each path: the plugin would allow them for unknown ones.
  if (origins.length > 0) app.enableCors({ origin: origins, exposedHeaders: '*', preflight: false });
}

function answerOthers(fastify: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods, 'OPTIONS'].toSorted().join(', ');
  const headers = { allow, ...(methods.has('PATCH') && { 'accept-patch': mediaTypesOf('PATCH').join(', ') }) };
  const cors = { ...PREFLIGHT, methods: allow };
  fastify.options(url, { config: { cors } }, (_request, reply) => reply.code(204).headers(headers).send());
  fastify.route({
    method: METHODS.filter((method) => !methods.has(method) && method !== 'OPTIONS'),
    url,
    handler: () => {
      throw new ApiError('method_not_allowed', `The methods of this resource are ${allow}.`, { allow });
    },
  });
}
