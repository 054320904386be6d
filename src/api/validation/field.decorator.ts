import { ApiExtraModels, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { stringify } from 'lossless-json';
import { parseJson } from '../../common/json/parse-json.js';
import { Fault } from './fault.js';
import { type Declaration, declareField } from './reader.js';
import type { Rule } from './rules/rule.js';

type About = Pick<ApiPropertyOptions, 'description' | 'example'>;

interface Default extends About {
  /** The value of a field that is left out, written as in JSON. */
  default: unknown;
}

/** The property must be able to hold every value that the rule accepts. */
type Holding<T> = <C extends object, K extends string & keyof C>(
  prototype: C,
  property: K & ([T] extends [C[K]] ? unknown : never),
) => void;

/** Declares a required field of a JSON body. */
export function Field<T>(rule: Rule<T>, about: About): Holding<T> {
  return field({ rule, required: true }, about);
}

/** Declares an optional field. It may be absent, but null only if its rule is `nullable`. */
export function OptionalField<T>(rule: Rule<T>, about: Default): Holding<T>;
export function OptionalField<T>(rule: Rule<T>, about: About): Holding<T | undefined>;
export function OptionalField(rule: Rule, about: About): Holding<never> {
  return field({ rule, required: false }, about);
}

/** Declares an optional query parameter. */
export function QueryParameter<T>(rule: Rule<T>, about: Default): Holding<T>;
export function QueryParameter<T>(rule: Rule<T>, about: About): Holding<T | undefined>;
export function QueryParameter(rule: Rule, about: About): Holding<never> {
  return field({ rule, required: false, text: true }, about);
}

/** Declares a path parameter. */
export function PathParameter<T>(rule: Rule<T>, about: About): Holding<T> {
  return field({ rule, required: true, text: true }, about);
}

function field(
  declaration: Declaration,
  about: Partial<Default>,
): (prototype: object, property: string) => void {
  const { rule, required, text } = declaration;
  return (prototype, property) => {
    const name = `${prototype.constructor.name}.${property}`;
    if (text && !rule.fromText) {
      throw new Error(`${name} is a parameter, which cannot be ${rule.expected}: take it in a body.`);
    }
    const { type, minItems } = rule.schema;
    if (text && type === 'array' && !minItems) {
      throw new Error(`${name} is a list in a query, which cannot be empty: give its rule minItems: 1.`);
    }
    ApiProperty({ ...rule.schema, ...about, required } as ApiPropertyOptions)(prototype, property);
    if (rule.model) ApiExtraModels(rule.model)(prototype.constructor);
    declareField(prototype, property, { ...declaration, otherwise: defaultOf(name, rule, about) });
  };
}

/** Reads the default by its own rule, which it must follow. */
function defaultOf(name: string, rule: Rule, { default: given }: Partial<Default>): unknown {
  if (given === undefined) return undefined;
  const read = rule.fromJson(parseJson(stringify(given)!));
  if (read instanceof Fault) throw new Error(`The default of ${name} ${read.says}.`);
  return read;
}
