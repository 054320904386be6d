import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'lossless-json';

/**
 * The document for Swagger UI, which rounds large numbers. They become text: examples are serialised as JSON, and bounds
 * become part of the description.
 */
export function documentForPage(document: OpenAPIObject): object {
  return rewrite(document) as object;
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(withBoundsInWords(value)).map(([name, member]) => [
      name,
      name === 'value' && holdsBigint(member) ? stringify(member, undefined, 2) : rewrite(member),
    ]),
  );
}

/** The page shows the description of a parameter rather than that of its schema. */
function withBoundsInWords(value: object): object {
  const { minimum: _minimum, maximum: _maximum, description, ...rest } = value as Record<string, unknown>;
  const bounds = boundsOf(value) ?? ('in' in rest ? boundsOf(rest['schema']) : undefined);
  return bounds ? { ...rest, description: [description, bounds].filter(Boolean).join(' ') } : value;
}

function boundsOf(schema: unknown): string | undefined {
  const { minimum, maximum } = schema as Record<string, unknown>;
  return typeof minimum === 'bigint' && typeof maximum === 'bigint'
    ? `From ${minimum} to ${maximum}.`
    : undefined;
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsBigint);
  return typeof value === 'bigint';
}
