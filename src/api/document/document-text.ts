import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify as stringifyJson } from 'lossless-json';

/** Serialises the document as JSON. The int64 bounds keep all their digits. */
export function documentJson(document: OpenAPIObject): string {
  return `${stringifyJson(document, undefined, 2)}\n`;
}

/** Serialises the document as YAML. The package is loaded on first use, which keeps start-up fast. */
export async function documentYaml(document: OpenAPIObject): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
}
