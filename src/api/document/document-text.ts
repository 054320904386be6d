import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify as stringifyJson } from 'lossless-json';

/** The document as JSON, in which the bounds of int64 keep all their digits. */
export function documentJson(document: OpenAPIObject): string {
  return `${stringifyJson(document, undefined, 2)}\n`;
}

/** The same as YAML; few ask for it, so nobody waits for the package at a start. */
export async function documentYaml(document: OpenAPIObject): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
}
