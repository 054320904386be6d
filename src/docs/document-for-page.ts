import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'lossless-json';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/**
 * The document for Swagger UI, which rounds large numbers. They become text: examples are serialised as JSON, and bounds
 * become part of the description.
 */
export function documentForPage(document: OpenAPIObject): object {
  const schemas = document.components?.schemas ?? {};
  const components = { ...document.components, schemas: withNamedItems(schemas) };
  return rewrite({ ...document, components }) as object;
}

/** Swagger UI shows `array<any>` where the items of a list are a reference. The plugin shows their title. */
function withNamedItems(schemas: Schemas): Schemas {
  const inlined = (schema: Schemas[string]) => {
    const items = 'items' in schema ? schema.items : undefined;
    if (!items || !('$ref' in items)) return schema;
    const title = items.$ref.split('/').at(-1)!;
    return { ...schema, items: { title, ...schemas[title] } };
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inlined(schema)]));
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(withBoundsInWords(withoutSentExample(value))).map(([name, member]) => [
      name,
      name === 'value' && holdsBigint(member) ? stringify(member, undefined, 2) : rewrite(member),
    ]),
  );
}

/** Swagger UI would send the example of an optional parameter: the same Idempotency-Key with every change. */
function withoutSentExample(value: object): object {
  const { in: place, required, schema } = value as Record<string, unknown>;
  if (place === undefined || required || typeof schema !== 'object') return value;
  const { example: _example, ...rest } = schema as Record<string, unknown>;
  return { ...value, schema: rest };
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
