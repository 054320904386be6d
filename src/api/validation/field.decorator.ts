import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { declared, RULE } from './declared-fields.js';
import type { Rule } from './rule.js';

type About = Pick<ApiPropertyOptions, 'description' | 'example' | 'default'>;

/** A field of a JSON body that must be there. */
export function Field(rule: Rule, about: About): PropertyDecorator {
  return all(
    ApiProperty({ ...rule.schema, ...about, required: true } as ApiPropertyOptions),
    ...readJson(rule),
    follows(rule),
    declared({ rule }),
  );
}

/** A field that may be left out. `null` is not leaving it out. */
export function OptionalField(rule: Rule, about: About): PropertyDecorator {
  return all(
    ApiProperty({ ...rule.schema, ...about, required: false } as ApiPropertyOptions),
    whenGiven,
    ...readJson(rule),
    follows(rule),
    declared({ rule, optional: true }),
  );
}

/** A parameter of the query that may be left out. */
export function QueryParameter(rule: Rule, about: About): PropertyDecorator {
  return all(OptionalField(rule, about), readText(rule), declared({ rule, optional: true, text: true }));
}

/** A parameter of the path. */
export function PathParameter(rule: Rule, about: About): PropertyDecorator {
  return all(Field(rule, about), readText(rule), declared({ rule, text: true }));
}

const whenGiven = ValidateIf((_, value) => value !== undefined);

function follows(rule: Rule): PropertyDecorator {
  return ValidateBy({
    name: RULE,
    validator: {
      validate: (value: unknown) => rule.accepts(value),
      defaultMessage: () => `must be ${rule.expected}`,
    },
  });
}

/** A parameter that is repeated arrives as an array; only text is read, and the rule refuses the rest. */
function readText(rule: Rule): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? rule.fromText(value) : value,
  );
}

/** Only where there is something to turn: every request with a body passes here. */
function readJson({ fromJson }: Rule): PropertyDecorator[] {
  return fromJson ? [Transform(({ value }: { value: unknown }) => fromJson(value))] : [];
}

function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => decorators.forEach((decorate) => decorate(target, property));
}
