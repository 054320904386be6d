import { METHODS } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { mediaTypesOf } from '../api/body.js';
import { ApiError } from '../api/errors.js';

/** Adds OPTIONS to each path that is registered from now on, for CORS too, and answers all other methods with 405. */
export function answerOtherMethods(app: NestFastifyApplication, origins: string[]): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const paths = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ url, method }) => {
    paths.set(url, new Set([...(paths.get(url) ?? []), ...[method].flat()]));
  });
  // Fastify loads this plugin after all routes have been registered, so that `paths` is complete.
  void fastify.register(async (plugin) => {
    for (const [url, methods] of paths) answerOthers(plugin, url, methods);
  });
  if (origins.length === 0) return;
  app.enableCors({
    origin: origins,
    exposedHeaders: '*',
    allowedHeaders: 'Authorization, *', // the asterisk does not stand for Authorization
    maxAge: 600,
    preflight: false, // `answerOthers` enables it for known paths
    preflightContinue: true,
    strictPreflight: false,
  });
}

function answerOthers(fastify: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods, 'OPTIONS'].toSorted().join(', ');
  const headers = { allow, ...(methods.has('PATCH') && { 'accept-patch': mediaTypesOf('PATCH').join(', ') }) };
  const cors = { preflight: true, methods: allow };
  fastify.options(url, { config: { cors } }, (_request, reply) => reply.code(204).headers(headers).send());
  fastify.route({
    method: METHODS.filter((method) => !methods.has(method) && method !== 'OPTIONS'),
    url,
    // In the handler it would be too late, because Fastify first checks what a method needs, such as a Content-Type for QUERY.
    onRequest: () => {
      throw new ApiError('method_not_allowed', `The methods of this resource are ${allow}.`, { allow });
    },
    handler: () => {},
  });
}
