import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'lossless-json';

type Members = Record<string, unknown>;

/** The document for Swagger UI, which rounds large numbers: bounds become words, and examples become JSON text. */
export function documentForPage(document: OpenAPIObject): string {
  return stringify(document, (name, member) => {
    if (typeof member !== 'object' || member === null) return member;
    if (name === 'value') return stringify(member, undefined, 2);
    // Swagger UI shows `array<any>` for a list of references. The plugin shows the title of what it holds.
    const title = name === 'items' && '$ref' in member && String(member.$ref).split('/').at(-1);
    return title ? { title, ...document.components?.schemas?.[title] } : withBoundsInWords(member as Members);
  })!;
}

/** The page shows the description of a parameter rather than that of its schema. */
function withBoundsInWords(one: Members): Members {
  const { minimum, maximum } = (one['schema'] ?? one) as Members;
  if (minimum === undefined || maximum === undefined) return one;
  const { minimum: _minimum, maximum: _maximum, description = '', ...rest } = one;
  return { ...rest, description: `${description as string} From ${minimum as bigint} to ${maximum as bigint}.`.trim() };
}
