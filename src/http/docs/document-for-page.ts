import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'lossless-json';

type Members = Record<string, unknown>;

/** The document for Swagger UI, which rounds large numbers: bounds become words, and examples become JSON text. */
export function documentForPage(document: OpenAPIObject): object {
  const schemas = { ...document.components?.schemas };
  for (const [name, schema] of Object.entries(schemas)) {
    const items = 'items' in schema ? schema.items : undefined;
    if (!items || !('$ref' in items)) continue;
    // Swagger UI shows `array<any>` for a list of references. The plugin shows the title of what it holds.
    const title = items.$ref.split('/').at(-1)!;
    schemas[name] = { ...schema, items: { title, ...document.components?.schemas?.[title] } };
  }
  return rewrite({ ...document, components: { ...document.components, schemas } }) as object;
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(withBoundsInWords(withoutSentExample(value as Members)));
  return Object.fromEntries(
    members.map(([name, member]) => {
      const isExample = name === 'value' && typeof member === 'object';
      return [name, isExample ? stringify(member, undefined, 2) : rewrite(member)];
    }),
  );
}

/** Swagger UI would send the example of an optional parameter: the same Idempotency-Key with every change. */
function withoutSentExample(value: Members): Members {
  const { in: place, required, schema } = value;
  if (place === undefined || required || typeof schema !== 'object') return value;
  const { example: _example, ...rest } = schema as Members;
  return { ...value, schema: rest };
}

/** The page shows the description of a parameter rather than that of its schema. */
function withBoundsInWords(value: Members): Members {
  const { minimum, maximum } = ('in' in value ? (value['schema'] ?? {}) : value) as Members;
  if (minimum === undefined || maximum === undefined) return value;
  const { minimum: _minimum, maximum: _maximum, description, ...rest } = value;
  return {
    ...rest,
    description: [description, `From ${minimum as bigint} to ${maximum as bigint}.`].filter(Boolean).join(' '),
  };
}
