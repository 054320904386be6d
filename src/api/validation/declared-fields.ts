import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { Rule } from './rule.js';

/** The name under which class-validator knows rules. */
export const RULE = 'rule';

interface Declaration {
  readonly rule: Rule;
  readonly optional?: boolean;
  /** The value comes as text, from a path or a query. */
  readonly text?: boolean;
}

interface DeclaredField extends Declaration {
  readonly name: string;
}

const declarations = new Map<object, Map<string, Declaration>>();

/** Registers the rule of a field for `readValid`. */
export function declared(declaration: Declaration): PropertyDecorator {
  return (prototype, property) => {
    const fields = declarations.get(prototype) ?? new Map<string, Declaration>();
    declarations.set(prototype, fields.set(String(property), declaration));
  };
}

/**
 * Reads valid input directly by the rules of its fields, which is the fast path. Returns `undefined` for invalid
 * input, whose fault class-validator names, and for classes with other validators.
 */
export function readValid<T extends object>(input: Type<T>, given: object): T | undefined {
  const fields = fieldsOf(input);
  if (!fields) return undefined;
  const instance = new input();
  let read = 0;
  for (const { name, rule, optional, text } of fields) {
    const sent = (given as Record<string, unknown>)[name];
    if (sent === undefined) {
      if (optional) continue;
      return undefined;
    }
    const value = text && typeof sent === 'string' ? rule.fromText(sent) : fromJson(rule, sent);
    if (!rule.accepts(value)) return undefined;
    (instance as Record<string, unknown>)[name] = value;
    read++;
  }
  return Object.keys(given).length === read ? instance : undefined;
}

function fromJson(rule: Rule, sent: unknown): unknown {
  return rule.fromJson ? rule.fromJson(sent) : sent;
}

const known = new Map<Type, DeclaredField[] | null>();

function fieldsOf(input: Type): DeclaredField[] | null {
  let fields = known.get(input);
  if (fields === undefined) {
    fields = collect(input);
    known.set(input, fields);
  }
  return fields;
}

/** The fields of a class and its base classes; null when a field has validators other than rules. */
function collect(input: Type): DeclaredField[] | null {
  const fields = new Map<string, DeclaredField>();
  for (
    let prototype = input.prototype as object | null;
    prototype;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const [name, declaration] of declarations.get(prototype) ?? []) {
      if (!fields.has(name)) fields.set(name, { name, ...declaration });
    }
  }
  const checks = getMetadataStorage().getTargetValidationMetadatas(input, '', true, false);
  const areRules = checks.every(
    ({ propertyName, type, name }) =>
      fields.has(propertyName) && (name === RULE || type === ValidationTypes.CONDITIONAL_VALIDATION),
  );
  return areRules ? [...fields.values()] : null;
}
