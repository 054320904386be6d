import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QuickHeadResponse } from './quick-head.js';

type Inside = ServerResponse & {
  _header: string;
  _keepAliveTimeout: number;
  _maxRequestsPerSocket: number;
  _last: boolean;
};

const USUAL = { 'content-type': 'application/json', 'content-length': '2', 'x-own': 'a' };

describe('QuickHeadResponse', () => {
  beforeEach(() => void jest.useFakeTimers({ now: new Date('2026-11-22T10:00:00.500Z') }));
  afterEach(() => void jest.useRealTimers());

  function respond(Response: typeof ServerResponse): Inside {
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 });
    return Object.assign(new Response(request), { _keepAliveTimeout: 72_000 }) as Inside;
  }

  /** What a response has after `writeHead`, or the code of the error that it throws. */
  function outcome(
    Response: typeof ServerResponse,
    status: number,
    headers: Record<string, string | string[]>,
    prepare: (response: Inside) => void,
  ): unknown {
    const response = respond(Response);
    prepare(response);
    try {
      response.writeHead(status, headers);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
    const { _header, _last, shouldKeepAlive, chunkedEncoding, headersSent } = response;
    return {
      head: _header.replace(/^Date: .*$/m, 'Date'),
      _last,
      shouldKeepAlive,
      chunkedEncoding,
      headersSent,
    };
  }

  it.each<[string, number, Record<string, string | string[]>, ((response: Inside) => void)?]>([
    ['the usual headers', 200, USUAL],
    ['other values', 201, { ...USUAL, 'x-own': 'b' }],
    ['a value that other responses share', 200, { ...USUAL, 'x-own': 'a' }],
    ['Latin-1', 200, { ...USUAL, 'x-own': 'é\t~' }],
    ['a line break', 200, { ...USUAL, 'x-own': 'a\r\nx-other: b' }],
    ['a character beyond Latin-1', 200, { ...USUAL, 'x-own': '€' }],
    ['an invalid name', 200, { ...USUAL, 'x own': 'a' }],
    ['a name with a line break', 200, { ...USUAL, 'x-a: b\r\nx-own': 'a' }],
    ['several values', 200, { ...USUAL, 'set-cookie': ['a=1', 'b=2'] }],
    ['no length', 200, { 'x-own': 'a' }],
    ['no content', 204, { 'x-own': 'a' }],
    ['a closing connection', 200, { ...USUAL, connection: 'close' }],
    ['a coding', 200, { 'transfer-encoding': 'chunked' }],
    ['its own date', 200, { ...USUAL, date: 'Sun, 22 Nov 2026 10:00:00 GMT' }],
    ['its own hint', 200, { ...USUAL, 'keep-alive': 'timeout=1' }],
    ['a file name', 200, { ...USUAL, 'content-disposition': 'inline; filename="é"' }],
    ['a trailer', 200, { ...USUAL, trailer: 'x-end' }],
    ['headers set before', 200, USUAL, (response) => response.setHeader('x-before', 'c')],
    ['a client that closes', 200, USUAL, (response) => (response.shouldKeepAlive = false)],
    ['no date', 200, USUAL, (response) => (response.sendDate = false)],
    ['no timeout', 200, USUAL, (response) => (response._keepAliveTimeout = 0)],
    ['a number of requests', 200, USUAL, (response) => (response._maxRequestsPerSocket = 9)],
  ])('writes what Node.js writes with %s', (_what, status, headers, prepare = () => {}) => {
    const expected = outcome(ServerResponse, status, headers, prepare);
    // Again, because names and values are remembered.
    for (let time = 0; time < 2; time++)
      expect(outcome(QuickHeadResponse as typeof ServerResponse, status, headers, prepare)).toEqual(expected);
  });

  it('has the date of its second', () => {
    const date = (): string => {
      const response = respond(QuickHeadResponse as typeof ServerResponse);
      response.writeHead(200, USUAL);
      return /^Date: (.*)\r$/m.exec(response._header)?.[1] ?? '';
    };
    expect(date()).toBe('Sun, 22 Nov 2026 10:00:00 GMT');
    jest.setSystemTime(new Date('2026-11-22T10:00:01.200Z'));
    expect(date()).toBe('Sun, 22 Nov 2026 10:00:01 GMT');
    jest.setSystemTime(new Date('2026-11-22T09:59:00Z'));
    expect(date()).toBe('Sun, 22 Nov 2026 09:59:00 GMT');
  });
});
