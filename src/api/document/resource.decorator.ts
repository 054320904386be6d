import { ApiExtension, ApiTags } from '@nestjs/swagger';

/** The tags of the document, with their descriptions: `ApiTags` takes none. */
export const RESOURCES = new Map<string, string>();

/** Groups the operations of a controller under a tag with a description. */
export function Resource(name: string, description: string): ClassDecorator {
  RESOURCES.set(name, description);
  return ApiTags(name);
}

/** Marks an operation, or all of a controller, whose interface may still change. The others are stable. */
export function InStage(stability: 'experimental' | 'beta'): ClassDecorator & MethodDecorator {
  return ApiExtension('x-stability', stability);
}
