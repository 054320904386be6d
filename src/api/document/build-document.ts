import type { INestApplication } from '@nestjs/common';
import { ApiProperty, ApiSchema, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { stringify } from 'lossless-json';
import { API_PREFIX, Config } from '../../common/config.js';
import { policyOf } from '../deprecation.js';
import { allErrors } from '../errors.js';
import { LISTS } from '../responses.js';
import { describeOperation, HEADERS } from './describe-operation.js';
import { operationsOf, type SchemaObject } from './operations.js';
import { RESOURCES } from './resource.decorator.js';

@ApiSchema({ name: 'Error', description: 'The body of every answer that is not a success.' })
class ErrorDto {
  @ApiProperty({
    description: 'Machine-readable error code. Codes are permanent; new ones may be added.',
    pattern: '^[a-z]+(_[a-z]+)*$',
    example: 'not_found',
  })
  readonly code!: string;

  @ApiProperty({ description: 'Human-readable description.', example: 'There is no such animal.' })
  readonly message!: string;

  @ApiProperty({
    type: 'integer',
    description: 'The HTTP status code of the response.',
    minimum: 400,
    maximum: 599,
    example: 404,
  })
  readonly status!: number;
}

/** Builds the OpenAPI document from the controllers, their decorators and the error catalogue. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, frame(app.get(Config)), {
    ignoreGlobalPrefix: true,
    operationIdFactory: (_controller, method) => method,
    extraModels: [ErrorDto],
  });
  const schemas = Object.assign(document.components!.schemas!, Object.fromEntries(LISTS));
  for (const one of operationsOf(document)) describeOperation(one, policyOf(one.operation.operationId, app), schemas);
  document.components!.headers = HEADERS;
  // Codes are permanent, so the schema is open for more than it lists.
  const { code } = (schemas['Error'] as SchemaObject).properties as Record<string, SchemaObject>;
  const codes = allErrors().map((error) => `\`${error.code}\``);
  code!.description += ` Now: ${codes.join(', ')}.`;
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
  const { productionUrl = 'https://api.example.com/v1', stagingUrl = 'https://staging.example.com/v1' } = config;
  const address = (of: string, url: string) => ({ default: url, description: `The address of ${of}.` });
  const description = 'An API key, such as `pets_test_…`, as a bearer token.';
  const built = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Animal Store Service')
    .setVersion('1.0.0')
    .setDescription(introduction(config))
    .addServer(`${config.rootPath}${API_PREFIX}`, 'This deployment')
    .addServer('{base_url}', 'Production', { base_url: address('production', productionUrl) })
    .addServer('{staging_base_url}', 'Staging', { staging_base_url: address('staging', stagingUrl) })
    .addSecurity('apiKey', { type: 'http', scheme: 'bearer', description })
    .addSecurityRequirements('apiKey')
    .build();
  // Set directly: `DocumentBuilder` requires a URL for each, and does not know license identifiers.
  const license = { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' };
  const { contact } = config;
  const reach = contact === undefined ? {} : { [contact.includes('://') ? 'url' : 'email']: contact };
  Object.assign(built.info, { contact: { name: 'Whoever issued your API key', ...reach }, license });
  built.tags = [...RESOURCES].map(([name, about]) => ({ name, description: about }));
  return built;
}
