import { isIP } from 'node:net';
import { API_PREFIX } from '../api-prefix.js';

/** What the text of a variable may be. */
export interface Kind<T> {
  /** Completes the sentence "must be …". */
  readonly expected: string;
  /** Turns the text into the value; `undefined` means that the text is not acceptable. */
  readonly read: (text: string) => T | undefined;
}

/** Any text that is not empty. */
export function anyText(expected: string): Kind<string> {
  return { expected, read: (text) => text };
}

export function integer(minimum: number, maximum: number, expected: string): Kind<number> {
  return {
    expected,
    read(text) {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
      return value >= minimum && value <= maximum ? value : undefined;
    },
  };
}

export const port = integer(0, 65_535, 'a port number from 0 to 65535');

export const flag: Kind<boolean> = {
  expected: 'true or false',
  read: (text) => ({ true: true, false: false })[text],
};

export function oneOf<T extends string>(...choices: T[]): Kind<T> {
  return {
    expected: choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or '),
    read: (text) => choices.find((choice) => choice === text),
  };
}

/** The first instant of a day in UTC. */
export const day: Kind<Date> = {
  expected: 'a day such as 2030-12-05',
  read(text) {
    const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
    // A day that no calendar has, such as 30 February, either parses to no date or rolls over to another one.
    return date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date : undefined;
  },
};

export function url(expected: string, ...protocols: string[]): Kind<string> {
  return {
    expected,
    read: (text) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
  };
}

export const postgresUrl = url(
  'a PostgreSQL address such as postgres://user:password@host:5432/name',
  'postgres:',
  'postgresql:',
);
export const redisUrl = url('a Redis address such as redis://localhost:6379', 'redis:', 'rediss:');
export const httpUrl = url('an http or https address', 'http:', 'https:');

/** The address of an API: it ends with the version segment and with nothing after it. */
export const apiUrl: Kind<string> = {
  expected: `an http or https address that ends with ${API_PREFIX}`,
  read: (text) =>
    text.endsWith(API_PREFIX) && !/[?#\s"<>]/.test(text) && !text.endsWith(`/${API_PREFIX}`)
      ? httpUrl.read(text)
      : undefined,
};

export const origins = listOf(
  'origins such as https://app.example.com, separated by commas',
  // As browsers send them: nothing behind the host and port.
  (origin) => URL.canParse(origin) && new URL(origin).origin === origin,
);

/** Addresses, or networks in CIDR form. */
export const networks = listOf('addresses or networks such as 10.0.0.0/8, separated by commas', (network) => {
  const [address = '', bits = '0', ...rest] = network.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
});

function listOf(expected: string, isValid: (item: string) => boolean): Kind<string[]> {
  return {
    expected,
    read(text) {
      const items = text.split(',').map((item) => item.trim());
      return items.every(isValid) ? items : undefined;
    },
  };
}
