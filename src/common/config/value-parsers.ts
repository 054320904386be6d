import { isIP } from 'node:net';
import { API_PREFIX } from '../api-prefix.js';

/** Parses the text of an environment variable. */
export interface Parser<T> {
  /** Completes the sentence "must be …". */
  readonly expected: string;
  /** Returns `undefined` for invalid text. */
  readonly parse: (text: string) => T | undefined;
}

export function anyText(expected: string): Parser<string> {
  return { expected, parse: (text) => text };
}

export function integer(minimum: number, maximum: number, expected: string): Parser<number> {
  return {
    expected,
    parse(text) {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
      return value >= minimum && value <= maximum ? value : undefined;
    },
  };
}

export const port = integer(0, 65_535, 'a port number from 0 to 65535');

export const workers: Parser<number | 'auto'> = {
  expected: 'auto or a number of processes from 1 to 64',
  parse: (text) => (text === 'auto' ? text : integer(1, 64, '').parse(text)),
};

export const flag: Parser<boolean> = {
  expected: 'true or false',
  parse: (text) => ({ true: true, false: false })[text],
};

export function oneOf<T extends string>(...choices: T[]): Parser<T> {
  return {
    expected: choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or '),
    parse: (text) => choices.find((choice) => choice === text),
  };
}

/** A day, as its first instant in UTC. */
export const day: Parser<Date> = {
  expected: 'a day such as 2030-12-05',
  parse(text) {
    const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
    // An impossible day, such as 30 February, is either unparseable or rolls over to another day.
    return date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date : undefined;
  },
};

export function url(expected: string, ...protocols: string[]): Parser<string> {
  return {
    expected,
    parse: (text) => {
      const isUrl = URL.canParse(text) && protocols.includes(new URL(text).protocol);
      return isUrl && isDecodable(text) ? text : undefined;
    },
  };
}

/** Drivers decode the user and the password. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export const postgresUrl = url(
  'a PostgreSQL address such as postgres://user:password@host:5432/name',
  'postgres:',
  'postgresql:',
);
export const postgresUrls = listOf(
  'PostgreSQL addresses such as postgres://user:password@host:5432/name, separated by commas',
  (address) => postgresUrl.parse(address) !== undefined,
);
const redisServer = url('', 'redis:', 'rediss:');
export const redisUrl: Parser<string> = {
  expected:
    'a Redis address such as redis://localhost:6379, or with the number of a database redis://localhost:6379/1',
  parse: (text) => {
    const address = redisServer.parse(text);
    return address && /^\/?\d*$/.test(new URL(address).pathname) ? address : undefined;
  },
};
export const httpUrl = url('an http or https address', 'http:', 'https:');

export const contact: Parser<string> = {
  expected: 'an https address, or an e-mail address such as support@example.com',
  parse: (text) => (/^[^\s@:/]+@[^\s@:/]+$/.test(text) ? text : url('', 'https:').parse(text)),
};

/** The base URL of an API, as headers carry it: it ends with the version segment. */
export const apiUrl: Parser<string> = {
  expected: `an http or https address that ends with ${API_PREFIX}`,
  parse: (text) => {
    const url = /[?#\s"<>]/.test(text) ? undefined : httpUrl.parse(text) && new URL(text).href;
    return url?.endsWith(API_PREFIX) && !url.endsWith(`/${API_PREFIX}`) ? url : undefined;
  },
};

export const origins = listOf(
  'origins such as https://app.example.com, separated by commas',
  // As browsers send it: nothing after host and port.
  (origin) => URL.canParse(origin) && new URL(origin).origin === origin,
);

/** IP addresses, or networks in CIDR notation. */
export const networks = listOf(
  'addresses or networks such as 10.0.0.0/8, separated by commas, none of them /0',
  (network) => {
    const [address = '', bits = '1', ...rest] = network.split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most;
  },
);

function listOf(expected: string, isValid: (item: string) => boolean): Parser<string[]> {
  return {
    expected,
    parse(text) {
      const items = text.split(',').map((item) => item.trim());
      return items.every(isValid) ? items : undefined;
    },
  };
}
