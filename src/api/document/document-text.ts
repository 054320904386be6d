import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify as stringifyJson } from 'lossless-json';

/** Serialises the document as JSON. The int64 bounds keep all their digits. */
export function documentJson(document: OpenAPIObject): string {
  return `${stringifyJson(document, undefined, 2)}\n`;
}

/** Serialises the document as YAML. */
export async function documentYaml(document: OpenAPIObject): Promise<string> {
  const { stringify } = await loadYaml();
  return stringify(document, { aliasDuplicateObjects: false });
}

/** Loads the package, which takes a tenth of a second: once the service is ready, so that no request opens its files. */
export function loadYaml(): Promise<typeof import('yaml')> {
  return import('yaml');
}
