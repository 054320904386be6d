import type { Type } from '@nestjs/common';
import type { Parser } from './value-parsers.js';

interface Documentation {
  /** One sentence for operators. */
  readonly about: string;
  /** The behaviour without the setting, where it is not a default value. */
  readonly unset?: string;
  /** A value for `.env.example`, where there is no default. */
  readonly example?: string;
}

export interface Setting extends Documentation {
  readonly name: string;
  readonly property: string;
  readonly parser: Parser<unknown>;
}

/** `DATABASE_URL_FILE` names a file that holds `DATABASE_URL`, as container platforms mount secrets. */
export const FILE_SUFFIX = '_FILE';

const settings = new Map<Type, Setting[]>();

/** The settings of the service and of each loaded feature, by their class. */
export function allSettings(): ReadonlyMap<Type, readonly Setting[]> {
  return settings;
}

/** Fills a property from an environment variable. The property's initial value is the default. */
export function Env(name: string, parser: Parser<unknown>, docs: Documentation): PropertyDecorator {
  return ({ constructor }, property) => {
    const owner = constructor as Type;
    const known = settings.get(owner) ?? [];
    settings.set(owner, [...known, { name, property: String(property), parser, ...docs }]);
  };
}
