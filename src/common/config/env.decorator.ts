import type { Type } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { Kind } from './kinds.js';

/** What documents a setting. */
interface About {
  /** One sentence for operators. */
  readonly about: string;
  /** What holds while it is not set, where no default says so. */
  readonly unset?: string;
  /** A value for the example file, where the default is none. */
  readonly example?: string;
}

export interface Setting extends About {
  readonly name: string;
  readonly property: string;
}

const settings = new Map<Type, Setting[]>();

/** Every setting of this process, by the class that holds it: those of the service and of each loaded feature. */
export function allSettings(): ReadonlyMap<Type, readonly Setting[]> {
  return settings;
}

const UNREADABLE = {};

/** Fills a property from an environment variable. The property's initial value is the default. */
export function Env(name: string, { expected, read }: Kind<unknown>, about: About): PropertyDecorator {
  const decorators = [
    Expose({ name }),
    Transform(({ value }) => (typeof value === 'string' ? (read(value) ?? UNREADABLE) : value)),
    ValidateBy({
      name: 'env',
      validator: {
        validate: (value) => value !== UNREADABLE,
        defaultMessage: () => `${name} must be ${expected}`,
      },
    }),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
    const owner = target.constructor as Type;
    settings.set(owner, [...(settings.get(owner) ?? []), { name, property: String(property), ...about }]);
  };
}

/** A date that must not lie before that of another property of the class. */
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
