import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { API_PREFIX } from '../../common/api-prefix.js';
import { Config } from '../../common/config/config.js';
import {
  type ResponseTransformFactory,
  TransformResponse,
} from '../responses/transform-response.decorator.js';
import { headerRef } from '../document/operations.js';
import type { Examples } from '../document/openapi-types.js';
import type { Cursor, Page } from './page.js';

type AnyPage = Page<unknown>;

/** Sends the items as a bare array, with links to the first and the next page in the Link header (RFC 8288). */
const withLinks: ResponseTransformFactory<AnyPage> = (app) => {
  const { apiBase } = app.get(Config);
  return (page, { url, query }, reply) => {
    const [path = ''] = url.split('?', 1);
    const kept = Object.entries(query as Record<string, string>)
      .filter(([name]) => name !== 'after')
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const target = (parameters: string[]): string =>
      `<${apiBase}${path.slice(API_PREFIX.length)}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}>`;
    const first = `${target(kept)}; rel="first"`;
    const { nextCursor, items } = page;
    void reply.header(
      'link',
      nextCursor === undefined ? first : `${first}, ${target([...kept, after(nextCursor)])}; rel="next"`,
    );
    return items;
  };
};

function after(cursor: Cursor): string {
  return `after=${typeof cursor === 'string' ? encodeURIComponent(cursor) : cursor}`;
}

/** Declares a list with keyset pagination; `name` names the array type in the document. */
export function Paged(options: {
  name: string;
  item: Type;
  description: string;
  examples: Examples;
}): MethodDecorator {
  return applyDecorators(
    TransformResponse(withLinks),
    ApiExtraModels(options.item),
    ApiOkResponse({
      description: options.description,
      examples: options.examples,
      headers: { Link: headerRef('PageLinks') as never },
      schema: { title: options.name, type: 'array', items: { $ref: getSchemaPath(options.item) } },
    }),
  );
}
