import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Config } from './common/config/config.js';
import { documentJson, documentYaml } from './common/openapi/document-text.js';

/** Serves the document and, at /docs, Swagger UI: both without a key and without the internet. */
export function serveDocs(app: NestFastifyApplication, document: OpenAPIObject): void {
  const json = documentJson(document);
  const yaml = documentYaml(document);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  fastify.get('/openapi.yaml', (_request, reply) => reply.type('application/yaml; charset=utf-8').send(yaml));
  // The page loads the document from its address. Embedded into the page, it would be written with JSON.stringify,
  // which knows no bigints; so the page gets one that is empty, and then none.
  SwaggerModule.setup(
    'docs',
    app,
    { ...document, paths: {}, components: {} },
    {
      raw: false,
      customSiteTitle: document.info.title,
      swaggerOptions: {
        spec: '',
        url: `${app.get(Config).rootPath}/openapi.json`,
        validatorUrl: null,
        persistAuthorization: true,
        deepLinking: true,
        displayRequestDuration: true,
        tryItOutEnabled: true,
      },
    },
  );
}
