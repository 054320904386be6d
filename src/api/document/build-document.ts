import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, type SchemaObject, SwaggerModule } from '@nestjs/swagger';
import { stringify } from 'lossless-json';
import { Config } from '../../common/config.js';
import { LISTS, RESOURCES } from '../decorators.js';
import { ApiError } from '../errors.js';
import { describeOperation, HEADERS } from './describe-operation.js';
import { operationsOf, shareRefusals } from './operations.js';

/** Builds the OpenAPI document from the controllers, their decorators and the error catalogue. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, frame(app.get(Config)), { ignoreGlobalPrefix: true });
  const schemas = Object.assign(document.components!.schemas!, LISTS, { Error: errorSchema(app.get(Config)) });
  const operations = operationsOf(document);
  for (const one of operations) describeOperation(one, operations, app, schemas);
  Object.assign(document.components!, { headers: HEADERS, responses: shareRefusals(operations) });
  return document;
}

/** The document as JSON. The bounds of int64 keep all their digits. */
export function documentJson(document: OpenAPIObject): string {
  return `${stringify(document, undefined, 2)}\n`;
}

const introduction = ({ docsUrl }: Config): string => `\
Stores animals, and lets clients list them, add them, fetch one by its identifier, and order them.

**Get a key.** Every operation takes an API key as a bearer token: \`Authorization: Bearer pets_…\`. The operators
of the service issue keys. On the page at \`/docs\`, press *Authorize* and paste yours: the browser keeps it until you
log out.

**Read numbers exactly.** Identifiers are 64-bit integers, as JSON numbers: use a parser that keeps all their digits.

**Read failures.** Every failure has the same body: a \`code\` for programs, a \`message\` for people, and the \`status\`.
The \`X-Request-Id\` header names the request in the logs.

**Read on.** Lists come a page at a time; the \`Link\` header has the address of the next page. Deprecated operations
send \`Deprecation\` and \`Sunset\` headers. The [guide](${docsUrl}/guide) explains retries, orders and each error.`;

function frame(config: Config): Omit<OpenAPIObject, 'paths'> {
  const { productionUrl = 'https://animals.example/v1', stagingUrl = 'https://staging.animals.example/v1' } = config;
  const description = 'An API key, such as `pets_test_…`, as a bearer token.';
  const built = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Animal Store Service')
    .setVersion('1.0.0')
    .setDescription(introduction(config))
    .addServer(config.apiBase, 'This deployment')
    .addServer(productionUrl, 'Production (base_url)')
    .addServer(stagingUrl, 'Staging (staging_base_url)')
    .addSecurity('apiKey', { type: 'http', scheme: 'bearer', description })
    .addSecurityRequirements('apiKey')
    .build();
  // Set without `DocumentBuilder`, which requires a URL for each, and does not know license identifiers.
  const license = { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' };
  const { contact } = config;
  const reach = contact === undefined ? {} : { [contact.includes('://') ? 'url' : 'email']: contact };
  Object.assign(built.info, { contact: { name: 'Whoever issued your API key', ...reach }, license });
  built.tags = [...RESOURCES].map(([name, about]) => ({ name, description: about }));
  return built;
}

function errorSchema({ docsUrl }: Config): SchemaObject {
  const about = `Machine-readable error code. Codes are permanent; new ones may be added. The [guide](${docsUrl}/guide#errors) says what to do about each.`;
  return {
    type: 'object',
    description: 'The body of every answer that is not a success.',
    required: ['code', 'message', 'status'],
    properties: {
      code: { type: 'string', pattern: '^[a-z]+(_[a-z]+)*$', description: about },
      message: { type: 'string', description: 'Human-readable description.' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status code of the response.' },
    },
    example: new ApiError('not_found').toJSON(),
  };
}
