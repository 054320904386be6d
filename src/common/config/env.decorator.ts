import { isIP } from 'node:net';
import { Expose, Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** Turns the text of a variable into its value; `undefined` means that the text is not acceptable. */
export type Reader<T> = (text: string) => T | undefined;

const UNREADABLE = {};

/** Fills a property of the configuration from an environment variable; the property's initial value is the default. */
export function Env(name: string, expected: string, read: Reader<unknown>): PropertyDecorator {
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
  return (target, property) => decorators.forEach((decorate) => decorate(target, property));
}

export const anyText: Reader<string> = (text) => text;

export function integer(minimum: number, maximum: number): Reader<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  };
}

export const flag: Reader<boolean> = (text) => ({ true: true, false: false })[text];

export function oneOf<T extends string>(...choices: T[]): Reader<T> {
  return (text) => choices.find((choice) => choice === text);
}

/** A day such as 2030-12-05, as its first instant in UTC. */
export const day: Reader<Date> = (text) => {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  // A day that no calendar has, such as February 30, either parses to no date or rolls over to another one.
  return date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date : undefined;
};

export function url(...protocols: string[]): Reader<string> {
  return (text) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined);
}

/** The address of an API: http or https, ending with the version segment and with nothing after it. */
export const apiAddress: Reader<string> = (text) =>
  url('http:', 'https:')(text) && /^[^?#\s"<>]+\/v1$/.test(text) ? text : undefined;

/** Origins as browsers send them, separated by commas. */
export const origins: Reader<string[]> = (text) => {
  const list = text.split(',').map((origin) => origin.trim());
  const valid = (origin: string): boolean => URL.canParse(origin) && new URL(origin).origin === origin;
  return list.every(valid) ? list : undefined;
};

/** Addresses, or networks in CIDR form, separated by commas. */
export const networks: Reader<string[]> = (text) => {
  const list = text.split(',').map((network) => network.trim());
  const valid = (network: string): boolean => {
    const [address = '', bits = '0', ...rest] = network.split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  };
  return list.every(valid) ? list : undefined;
};
