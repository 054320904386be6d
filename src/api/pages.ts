import type { FastifyRequest } from 'fastify';
import { Int, Int64 } from './fields.js';

export const PAGE_LIMIT = { minimum: 1, maximum: 100 };

/** The query parameters of every list. Lists are in ascending order of id. Features extend the class with filters. */
export class PageQuery {
  @Int(PAGE_LIMIT, { description: 'Maximum number of items returned.', default: 20 }) readonly limit!: number;

  @Int64({ description: 'Return only items whose id is greater: the last id of the previous page.', optional: true })
  readonly after?: bigint;
}

export class Page<T extends { id: bigint }> {
  constructor(
    readonly items: T[],
    readonly hasNext: boolean,
  ) {}

  /** Cuts `rows` at the limit. The query asked for one row more, which is there only if another page follows. */
  static of<T extends { id: bigint }>(rows: T[], limit: number): Page<T> {
    return rows.length > limit ? new Page(rows.slice(0, limit), true) : new Page(rows, false);
  }

  map<U extends { id: bigint }>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.hasNext);
  }
}

/**
 * The Link header (RFC 8288), with the first page and, if there is one, the next. The path is that of the route, because
 * clients can write the same path in different ways. `URLSearchParams` would take twice as long.
 */
export function linksOf(page: Page<{ id: bigint }>, { params, query }: FastifyRequest, route: string): string {
  const value = (name: string) => encodeURIComponent((params as Record<string, string>)[name]!);
  const path = route.includes('/:') ? route.replace(/\/:(\w+)/g, (_, name: string) => `/${value(name)}`) : route;
  const filters = query as Record<string, string | string[]>;
  let target = `${path}?`;
  // Repeated values are joined by commas.
  for (const name in filters) if (name !== 'after') target += `${name}=${encodeURIComponent(String(filters[name]))}&`;
  const first = `<${target.slice(0, -1)}>; rel="first"`;
  return page.hasNext ? `${first}, <${target}after=${page.items.at(-1)!.id}>; rel="next"` : first;
}
