import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './operations.js';

const ABOUT = 'x-about-resource';

/** Names what the operations of a controller are about: the heading they stand under, and a line that explains it. */
export function Resource(name: string, description: string): ClassDecorator {
  return applyDecorators(ApiTags(name), ApiExtension(ABOUT, description));
}

/** Lists the resources in the document. Swagger takes no description with a tag, so the operations carry it here. */
export function listResources(document: OpenAPIObject): void {
  const found = new Map<string, string>();
  for (const { operation } of operationsOf(document)) {
    const marked: { tags?: string[]; [ABOUT]?: string } = operation;
    const [name] = marked.tags ?? [];
    if (name !== undefined && marked[ABOUT] !== undefined) found.set(name, marked[ABOUT]);
    delete marked[ABOUT];
  }
  document.tags = [...found].map(([name, description]) => ({ name, description }));
}
