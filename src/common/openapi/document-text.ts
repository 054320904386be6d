import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify as stringifyJson } from 'lossless-json';
import { stringify as stringifyYaml } from 'yaml';

/** The document as JSON, in which the bounds of int64 keep all their digits. */
export function documentJson(document: OpenAPIObject): string {
  return `${stringifyJson(document, undefined, 2)}\n`;
}

export function documentYaml(document: OpenAPIObject): string {
  return stringifyYaml(document, { aliasDuplicateObjects: false });
}
