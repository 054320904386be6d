import { ServerResponse, validateHeaderName } from 'node:http';

type Headers = Record<string, unknown>;

/** What Node.js hides of a response. */
interface Inside {
  _storeHeader: (this: Inside, firstLine: string, headers?: Headers) => void;
  readonly _removedConnection: boolean;
  readonly _defaultKeepAlive: boolean;
  readonly _keepAliveTimeout: number;
  readonly _maxRequestsPerSocket?: number;
  readonly shouldKeepAlive: boolean;
  readonly sendDate: boolean;
  _header: string;
  _headerSent: boolean;
  _contentLength: number;
  _removedContLen: boolean;
}

const { _storeHeader: storeSlowly } = ServerResponse.prototype as unknown as Inside;

/** They change how Node.js sends the response. */
const SPECIAL = /^(?:connection|content-disposition|date|expect|keep-alive|trailer|transfer-encoding)$/i;
/** As Node.js checks values. */
const INVALID = /[^\t\x20-\x7e\x80-\xff]/;
const MOST_NAMES = 100;

/** The names that were checked, each with its latest valid value: most headers never change. */
const checked = new Map<string, string>();

/** Writes the usual head without checking again what was checked for an earlier response. */
export class QuickHeadResponse extends ServerResponse {
  _storeHeader(firstLine: string, headers?: Headers): void {
    const inside = this as unknown as Inside;
    const head = isUsual(inside, headers) ? headOf(firstLine, headers) : undefined;
    if (head === undefined) {
      storeSlowly.call(inside, firstLine, headers);
      return;
    }
    inside._contentLength = Number(headers?.['content-length']);
    inside._removedContLen = false;
    inside._header = head + endOf(inside);
    inside._headerSent = false;
  }
}

/** The connection stays open, and the end of the body is known. */
function isUsual(inside: Inside, headers: Headers | undefined): headers is Headers {
  return (
    typeof headers?.['content-length'] === 'string' &&
    inside.shouldKeepAlive &&
    inside.sendDate &&
    inside._defaultKeepAlive &&
    !inside._removedConnection &&
    !inside._maxRequestsPerSocket
  );
}

/** Undefined for headers that Node.js has to look at. */
function headOf(firstLine: string, headers: Headers): string | undefined {
  let head = firstLine;
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string' || (checked.get(name) !== value && !check(name, value))) return undefined;
    head += `${name}: ${value}\r\n`;
  }
  return head;
}

function check(name: string, value: string): boolean {
  if (INVALID.test(value)) return false;
  if (!checked.has(name)) {
    if (SPECIAL.test(name) || checked.size >= MOST_NAMES) return false;
    validateHeaderName(name);
  }
  checked.set(name, value);
  return true;
}

let end = '';
let endSecond = 0;
let endTimeout = 0;

/** The lines that Node.js adds, which change every second. */
function endOf({ _keepAliveTimeout: timeout }: Inside): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== endSecond || timeout !== endTimeout) {
    endSecond = second;
    endTimeout = timeout;
    const seconds = Math.floor(timeout / 1000);
    const hint = timeout ? `Keep-Alive: timeout=${seconds}\r\n` : '';
    end = `Date: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\n${hint}\r\n`;
  }
  return end;
}
