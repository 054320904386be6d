import type { Type } from '@nestjs/common';
import { Fault } from './fault.js';
import { checksOf, type OtherChecks, otherChecksOf } from './other-checks.js';
import type { Rule } from './rules/rule.js';
import { stateChecks } from './stated-checks.js';

export interface Declaration {
  readonly rule: Rule;
  readonly required: boolean;
  /** The value of a field that is left out. */
  readonly otherwise?: unknown;
  /** The value comes as text, from a path or a query. */
  readonly text?: boolean;
}

interface DeclaredField extends Declaration {
  readonly name: string;
  readonly missing: Fault;
  readonly invalid: Fault;
}

/** Where @nestjs/swagger keeps the properties of a class. */
const DOCUMENTED = 'swagger/apiModelPropertiesArray';

const declarations = new Map<object, Map<string, Declaration>>();

/** Registers a field, for `readerOf` to read it. A later declaration of the same field replaces it. */
export function declareField(prototype: object, name: string, declaration: Declaration): void {
  const fields = declarations.get(prototype) ?? new Map<string, Declaration>();
  declarations.set(prototype, fields.set(name, declaration));
}

/** The rules of a class by the names of its fields. */
export function rulesOf(input: Type): [name: string, rule: Rule][] {
  return [...declarationsOf(input.prototype as object)].map(([name, { rule }]) => [name, rule]);
}

/** The classes with fields. */
export function declaredTypes(): Type[] {
  return [...declarations.keys()].map((prototype) => prototype.constructor as Type);
}

const readers = new Map<Type, Reader<object>>();

/** The reader of a class, which is prepared once. */
export function readerOf<T extends object>(input: Type<T>): Reader<T> {
  let reader = readers.get(input);
  if (!reader) readers.set(input, (reader = new Reader(input)));
  return reader as Reader<T>;
}

/** Reads input by the rules of its fields, then applies the class-validator decorators, if there are any. */
export class Reader<T extends object> {
  private readonly fields: readonly DeclaredField[];
  private readonly others: OtherChecks | undefined;

  constructor(private readonly input: Type<T>) {
    this.fields = fieldsOf(input);
    this.requireRules();
    this.others = otherChecksOf(input, this.names);
    for (const { name, rule } of this.fields) stateChecks(input, name, rule.schema);
  }

  get names(): string[] {
    return this.fields.map(({ name }) => name);
  }

  /** Returns an instance, or the first fault. An unknown field precedes all others. */
  read(given: object): T | Fault {
    const sent = (this.others?.transform(given) ?? given) as Record<string, unknown>;
    const instance = new this.input() as T & Record<string, unknown>;
    const target: Record<string, unknown> = instance;
    let taken = 0;
    for (const field of this.fields) {
      const value = sent[field.name];
      if (value === undefined) {
        if (field.required) return this.unknownIn(given) ?? field.missing;
        if (field.otherwise !== undefined) target[field.name] = field.otherwise;
        continue;
      }
      const read = valueOf(field, value);
      if (read instanceof Fault) return this.unknownIn(given) ?? read.within(field.name);
      target[field.name] = read;
      taken++;
    }
    const unknown = Object.keys(given).length === taken ? undefined : this.unknownIn(given);
    return unknown ?? this.others?.faultOf(instance) ?? instance;
  }

  /** A property without a rule would be refused in input, and dropped from answers. */
  private requireRules(): void {
    const documented = (Reflect.getMetadata(DOCUMENTED, this.input.prototype as object) ?? []) as string[];
    const properties = [
      ...Object.keys(new this.input()),
      ...documented.map((name) => name.slice(':'.length)),
      ...checksOf(this.input).map(({ propertyName }) => propertyName),
    ];
    const { names } = this;
    const without = properties.find((name) => !names.includes(name));
    if (without === undefined) return;
    throw new Error(
      `${this.input.name}.${without} has no rule: declare it with @Field(…), @OptionalField(…) or the like.`,
    );
  }

  private unknownIn(given: object): Fault | undefined {
    const { names } = this;
    const unknown = Object.keys(given).find((name) => !names.includes(name));
    return unknown === undefined
      ? undefined
      : new Fault('unknown', `Known: ${names.join(', ')}.`, shortened(unknown));
  }
}

/** A repeated parameter comes as an array, which no rule takes. */
function valueOf({ rule, text, invalid }: DeclaredField, sent: unknown): unknown {
  if (!text) return rule.fromJson(sent);
  return typeof sent === 'string' && rule.fromText ? rule.fromText(sent) : invalid;
}

/** The fields of a class and its base classes, those of the bases first. */
function fieldsOf(input: Type): DeclaredField[] {
  return [...declarationsOf(input.prototype as object)].map(([name, declaration]) => ({
    ...declaration,
    name,
    missing: new Fault('missing', `is missing; it must be ${declaration.rule.expected}`, name),
    invalid: Fault.mustBe(declaration.rule.expected),
  }));
}

function declarationsOf(prototype: object | null): Map<string, Declaration> {
  if (!prototype) return new Map();
  const inherited = declarationsOf(Object.getPrototypeOf(prototype) as object | null);
  return new Map([...inherited, ...(declarations.get(prototype) ?? [])]);
}

/** At most 50 characters of a client's text. */
function shortened(name: string): string {
  const shown = [...name].slice(0, 50).join('');
  return shown === name ? name : `${shown}…`;
}
