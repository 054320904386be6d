import type { EntityMetadata } from 'typeorm';

const needed = new WeakSet<object>();

/** Says that no operation works without the table of the entity: if it stays locked, the service is not ready. */
export function Needed(): ClassDecorator {
  return (entity) => void needed.add(entity);
}

export function isNeeded({ target }: EntityMetadata): boolean {
  return needed.has(target as object);
}
