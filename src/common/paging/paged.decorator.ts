import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { Config } from '../config/config.js';
import { headerRef } from '../openapi/operations.js';
import type { Examples } from '../openapi/types.js';
import type { Page } from './page.js';

/** Sends the items of a page as a bare array, and says in a Link header where the first and the next page are. */
@Injectable()
export class PageInterceptor implements NestInterceptor<Page<{ id: bigint }>, unknown[]> {
  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler<Page<{ id: bigint }>>): Observable<unknown[]> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      map((page) => {
        void http
          .getResponse<FastifyReply>()
          .header('link', this.links(http.getRequest<FastifyRequest>(), page));
        return page.items;
      }),
    );
  }

  private links({ url, query }: FastifyRequest, { next }: Page<{ id: bigint }>): string {
    const [path = ''] = url.split('?', 1);
    const target = (after?: bigint): string => {
      const { after: _, ...kept } = query as Record<string, string>;
      const search = new URLSearchParams(
        after === undefined ? kept : { ...kept, after: String(after) },
      ).toString();
      return `<${this.config.apiBase}${path.slice('/v1'.length)}${search && `?${search}`}>`;
    };
    const first = `${target()}; rel="first"`;
    return next === undefined ? first : `${first}, ${target(next)}; rel="next"`;
  }
}

/** A list that is walked page by page; `name` is what the document calls the array. */
export function Paged(options: {
  name: string;
  item: Type;
  description: string;
  examples: Examples;
}): MethodDecorator {
  return applyDecorators(
    UseInterceptors(PageInterceptor),
    ApiExtraModels(options.item),
    ApiOkResponse({
      description: options.description,
      examples: options.examples,
      headers: { Link: headerRef('PageLinks') as never },
      schema: { title: options.name, type: 'array', items: { $ref: getSchemaPath(options.item) } },
    }),
  );
}
