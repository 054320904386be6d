import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify as stringifyJson } from 'lossless-json';
import { stringify as stringifyYaml } from 'yaml';

/** Serialises the document as JSON. The int64 bounds keep all their digits. */
export function documentJson(document: OpenAPIObject): string {
  return `${stringifyJson(document, undefined, 2)}\n`;
}

/** Serialises the document as YAML. */
export function documentYaml(document: OpenAPIObject): string {
  return stringifyYaml(document, { aliasDuplicateObjects: false });
}
