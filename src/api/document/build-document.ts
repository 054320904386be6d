import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { API_PREFIX } from '../../common/api-prefix.js';
import { Config } from '../../common/config/config.js';
import { KEY_PREFIX } from '../../common/contract.js';
import { DeprecationRegistry } from '../deprecation/deprecation-registry.js';
import { DeclaredErrors } from '../errors/declared-errors.js';
import { ErrorDto } from '../errors/error.dto.js';
import { checkDeclarations } from '../validation/check-declarations.js';
import { describeDeprecation } from './describe-deprecation.js';
import { describeErrors, listCodes } from './describe-errors.js';
import { describeHeaders, headersOf } from './describe-headers.js';
import {
  checkAnswers,
  closeBodySchemas,
  describeParameters,
  describeNull,
  nameArraySchemas,
  nameEnumerations,
} from './describe-schemas.js';
import type { SchemaObject } from './openapi-types.js';
import { operationsOf } from './operations.js';
import { listResources } from './resource.decorator.js';
import { describeStability } from './stability.js';

/** Builds the OpenAPI document from the controllers, the field rules and the error catalogue. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  checkDeclarations(app.get(DiscoveryService), app.get(MetadataScanner));
  const config = app.get(Config);
  const document = SwaggerModule.createDocument(app, frame(config), {
    ignoreGlobalPrefix: true,
    operationIdFactory: (_controller, method) => method,
    extraModels: [ErrorDto],
  });
  Object.assign(document.info, { contact: contactOf(config), license: LICENSE });
  document.components ??= {};
  listResources(document);
  const declared = app.get(DeclaredErrors);
  listCodes(document.components.schemas?.['Error'] as SchemaObject, declared.allKinds());
  const deprecations = app.get(DeprecationRegistry);
  for (const { method, operation } of operationsOf(document)) {
    describeErrors(operation, declared.ofOperation(operation.operationId ?? ''));
    const policy = deprecations.ofOperation(operation.operationId ?? '');
    if (policy) describeDeprecation(operation, policy);
    describeStability(operation);
    describeHeaders(operation, method);
    nameArraySchemas(operation, document.components);
    describeParameters(operation);
    closeBodySchemas(operation, document.components);
    checkAnswers(operation, document.components);
  }
  document.components.headers = headersOf(document);
  nameEnumerations(document, document.components);
  describeNull(document.components);
  return document;
}

// Both are set directly because `DocumentBuilder` requires a URL for each and does not know license identifiers.
function contactOf({ contact }: Config): object {
  const name = 'Whoever issued your API key';
  if (contact === undefined) return { name };
  return contact.includes('://') ? { name, url: contact } : { name, email: contact };
}

/** The SPDX form of a custom license; package.json says UNLICENSED. */
const LICENSE = { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' };

/** What the document shows where a deployment is not set. */
const EXAMPLE_URL = { production: 'https://api.example.com/v1', staging: 'https://staging.example.com/v1' };

const introduction = ({ docsUrl }: Config): string => `\
Stores animals, and lets clients list them, add them, fetch one by its identifier, and order them.

**Get a key.** Every operation takes an API key as a bearer token: \`Authorization: Bearer ${KEY_PREFIX}…\`. The operators
of the service issue keys. On the page at \`/docs\`, press *Authorize* and paste yours: the browser keeps it until you
log out.

**Read numbers exactly.** Identifiers are 64-bit integers, as JSON numbers: use a parser that keeps all their digits.

**Read failures.** Every failure has the same body: a \`code\` for programs, a \`message\` for people, and the \`status\`.
The \`X-Request-Id\` header names the request in the logs.

**Read on.** Lists come a page at a time; the \`Link\` header has the address of the next page. Deprecated operations
send \`Deprecation\` and \`Sunset\` headers. The [guide](${docsUrl}/guide) explains retries, orders and each error.`;

function frame(config: Config): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Animal Store Service')
    .setVersion('1.0.0')
    .setDescription(introduction(config))
    .addServer(`${config.rootPath}${API_PREFIX}`, 'This deployment')
    .addServer('{base_url}', 'Production', {
      base_url: {
        default: config.productionUrl ?? EXAMPLE_URL.production,
        description: 'The address of production.',
      },
    })
    .addServer('{staging_base_url}', 'Staging', {
      staging_base_url: {
        default: config.stagingUrl ?? EXAMPLE_URL.staging,
        description: 'The address of staging.',
      },
    })
    .addSecurity('apiKey', {
      type: 'http',
      scheme: 'bearer',
      description: `An API key, such as \`${KEY_PREFIX}test_…\`, as a bearer token.`,
    })
    .addSecurityRequirements('apiKey')
    .build();
}
