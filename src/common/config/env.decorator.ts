import type { Type } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { Parser } from './value-parsers.js';

interface Documentation {
  /** One sentence for operators. */
  readonly about: string;
  /** The behaviour without the setting, where the default value does not tell. */
  readonly unset?: string;
  /** A value for `.env.example`, where there is no default. */
  readonly example?: string;
}

export interface Setting extends Documentation {
  readonly name: string;
  readonly property: string;
}

const settings = new Map<Type, Setting[]>();

/** The settings of the service and of each loaded feature, by their class. */
export function allSettings(): ReadonlyMap<Type, readonly Setting[]> {
  return settings;
}

const INVALID = {};

/** Fills a property from an environment variable. The property's initial value is the default. */
export function Env(
  name: string,
  { expected, parse }: Parser<unknown>,
  docs: Documentation,
): PropertyDecorator {
  const decorators = [
    Expose({ name }),
    Transform(({ value }) => (typeof value === 'string' ? (parse(value) ?? INVALID) : value)),
    ValidateBy({
      name: 'env',
      validator: {
        validate: (value) => value !== INVALID,
        defaultMessage: () => `${name} must be ${expected}`,
      },
    }),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
    const owner = target.constructor as Type;
    settings.set(owner, [...(settings.get(owner) ?? []), { name, property: String(property), ...docs }]);
  };
}

/** Requires a date that is not earlier than another property. */
export function NotBefore(other: string, message: string): PropertyDecorator {
  return ValidateBy({
    name: 'notBefore',
    validator: {
      validate(date: Date, args?: ValidationArguments) {
        const { [other]: earliest } = (args?.object ?? {}) as Record<string, Date>;
        return !(earliest && date < earliest);
      },
      defaultMessage: () => message,
    },
  });
}
