import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { API_PREFIX } from '../../common/api-prefix.js';
import { Config } from '../../common/config/config.js';
import { Answered, type AnswerFactory } from '../answers/answered.decorator.js';
import { headerRef } from '../document/operations.js';
import type { Examples } from '../document/types.js';
import type { Page } from './page.js';

type AnyPage = Page<{ id: bigint }>;

/** Sends the items of a page as a bare array, and says in a Link header where the first and the next page are. */
const withLinks: AnswerFactory<AnyPage> = (app) => {
  const { apiBase } = app.get(Config);
  return (page, { url, query }, reply) => {
    const [path = ''] = url.split('?', 1);
    const kept = Object.entries(query as Record<string, string>)
      .filter(([name]) => name !== 'after')
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const target = (parameters: string[]): string =>
      `<${apiBase}${path.slice(API_PREFIX.length)}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}>`;
    const first = `${target(kept)}; rel="first"`;
    const { next, items } = page;
    void reply.header(
      'link',
      next === undefined ? first : `${first}, ${target([...kept, `after=${next}`])}; rel="next"`,
    );
    return items;
  };
};

/** A list that is walked page by page; `name` is what the document calls the array. */
export function Paged(options: {
  name: string;
  item: Type;
  description: string;
  examples: Examples;
}): MethodDecorator {
  return applyDecorators(
    Answered(withLinks),
    ApiExtraModels(options.item),
    ApiOkResponse({
      description: options.description,
      examples: options.examples,
      headers: { Link: headerRef('PageLinks') as never },
      schema: { title: options.name, type: 'array', items: { $ref: getSchemaPath(options.item) } },
    }),
  );
}
