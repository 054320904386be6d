import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './operations.js';

const ABOUT = 'x-about-resource';

/** Groups the operations of a controller under a tag with a description. */
export function Resource(name: string, description: string): ClassDecorator {
  return applyDecorators(ApiTags(name), ApiExtension(ABOUT, description));
}

/** Lists the tags. `ApiTags` takes no description, so an extension of each operation carries it until here. */
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

/** Marks an operation, or all of a controller, whose interface may still change. The others are stable. */
export function InStage(stability: 'experimental' | 'beta'): ClassDecorator & MethodDecorator {
  return ApiExtension('x-stability', stability);
}
