import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { declared, RULE } from './declared-fields.js';
import type { Rule } from './rule.js';

type About = Pick<ApiPropertyOptions, 'description' | 'example' | 'default'>;

/** Declares a required field of a JSON body. */
export function Field(rule: Rule, about: About): PropertyDecorator {
  return all(
    ApiProperty({ ...rule.schema, ...about, required: true } as ApiPropertyOptions),
    ...readJson(rule),
    follows(rule),
    declared({ rule }),
  );
}

/** Declares an optional field, which may be absent but not `null`. */
export function OptionalField(rule: Rule, about: About): PropertyDecorator {
  return all(
    ApiProperty({ ...rule.schema, ...about, required: false } as ApiPropertyOptions),
    whenGiven,
    ...readJson(rule),
    follows(rule),
    declared({ rule, optional: true }),
  );
}

/** Declares an optional query parameter. */
export function QueryParameter(rule: Rule, about: About): PropertyDecorator {
  return all(OptionalField(rule, about), readText(rule), declared({ rule, optional: true, text: true }));
}

/** Declares a path parameter. */
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

/** A repeated parameter comes as an array, which stays unchanged for the rule to refuse. */
function readText(rule: Rule): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? rule.fromText(value) : value,
  );
}

function readJson({ fromJson }: Rule): PropertyDecorator[] {
  return fromJson ? [Transform(({ value }: { value: unknown }) => fromJson(value))] : [];
}

function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => decorators.forEach((decorate) => decorate(target, property));
}
