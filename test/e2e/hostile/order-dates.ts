import { JSON_BODY, type Line, type Wire, withBody } from './notation.js';

// The orders that the service has: OPEN of animal 1, and COMPLETE of animal 2. Animal 3 has none.
export const OPEN = '/v1/store/orders/1';
export const COMPLETE = '/v1/store/orders/2';
export const NOBODY = '/v1/store/orders/9000000000';

/** A change of OPEN, sent as written. */
export const patch = (body: string, ...headers: string[]): Wire =>
  withBody('PATCH', OPEN, headers.length > 0 ? headers : [JSON_BODY], body);
const ships = (date: string): Wire => patch(`{"shipDate":${JSON.stringify(date)}}`);

export const INVALID = '400 invalid_field';

/** A moment of RFC 3339 with an offset, of the years 0001 to 9999, to the millisecond. */
export const orderDates: Line[] = [
  ['200', ships('2026-03-31T14:30:00Z'), 'a date-time in UTC'],
  ['200', ships('2026-03-31T14:30:00.123-23:59'), 'the largest offset'],
  ['200', ships('2026-03-31T14:30:00-00:00'), 'an unknown local offset is UTC'],
  ['200', ships('0001-01-01T00:00:00Z'), 'the first moment'],
  ['200', ships('9999-12-31T23:59:59.999Z'), 'the last moment'],
  ['200', ships('0000-12-31T23:00:00-01:00'), 'the first moment, in the year before'],
  ['200', ships('2024-02-29T00:00:00Z'), 'a leap day'],
  ['200', ships('1582-10-10T00:00:00Z'), 'a day that the Gregorian reform left out'],
  ['200', ships('1883-11-18T12:03:58Z'), 'before time zones'],
  [INVALID, ships('0000-12-31T23:59:59.999Z'), 'before the first moment'],
  [INVALID, ships('0001-01-01T00:00:00+00:01'), 'before the first moment in UTC'],
  [INVALID, ships('9999-12-31T23:59:59.999-00:01'), 'after the last moment in UTC'],
  [INVALID, ships('+002026-03-31T14:30:00Z'), 'an extended year'],
  [INVALID, ships('-000001-03-31T14:30:00Z'), 'a year before Christ'],
  [INVALID, ships('10000-01-01T00:00:00Z'), 'a year of five digits'],
  [INVALID, ships('26-03-31T14:30:00Z'), 'a year of two digits'],
  [INVALID, ships('2023-02-29T00:00:00Z'), 'no leap year'],
  [INVALID, ships('1900-02-29T00:00:00Z'), 'a century is no leap year'],
  [INVALID, ships('2026-02-30T00:00:00Z'), '30 February'],
  [INVALID, ships('2026-04-31T00:00:00Z'), '31 April'],
  [INVALID, ships('2026-13-01T00:00:00Z'), 'a 13th month'],
  [INVALID, ships('2026-00-10T00:00:00Z'), 'a month of zero'],
  [INVALID, ships('2026-01-00T00:00:00Z'), 'a day of zero'],
  [INVALID, ships('2026-03-31T24:00:00Z'), '24 o’clock'],
  [INVALID, ships('2026-03-31T14:60:00Z'), '60 minutes'],
  [INVALID, ships('2016-12-31T23:59:60Z'), 'a leap second, even a real one'],
  [INVALID, ships('2026-03-31T14:30Z'), 'no seconds'],
  [INVALID, ships('2026-03-31T14Z'), 'no minutes'],
  [INVALID, ships('2026-03-31'), 'no time'],
  [INVALID, ships('14:30:00Z'), 'no date'],
  [INVALID, ships('2026-03-31T14:30:00'), 'no offset'],
  [INVALID, ships('2026-03-31t14:30:00Z'), 'a lower-case t'],
  [INVALID, ships('2026-03-31T14:30:00z'), 'a lower-case z'],
  [INVALID, ships('2026-03-31 14:30:00Z'), 'a space instead of T'],
  [INVALID, ships('20260331T143000Z'), 'the basic form of ISO 8601'],
  [INVALID, ships('2026-W14-2T14:30:00Z'), 'a week date'],
  [INVALID, ships('2026-090T14:30:00Z'), 'an ordinal date'],
  [INVALID, ships('2026-03-31T14:30:00.Z'), 'a point without a fraction'],
  [INVALID, ships('2026-03-31T14:30:00,5Z'), 'a comma'],
  [INVALID, ships('2026-03-31T14:30:00.1234Z'), 'four fraction digits'],
  [INVALID, ships(`2026-03-31T14:30:00.${'0'.repeat(16_000)}Z`), 'as many zeros as the size limit allows'],
  [INVALID, ships('2026-03-31T14:30:00+24:00'), 'an offset of a day'],
  [INVALID, ships('2026-03-31T14:30:00+02:60'), 'an offset of 60 minutes'],
  [INVALID, ships('2026-03-31T14:30:00+0200'), 'an offset without a colon'],
  [INVALID, ships('2026-03-31T14:30:00+02'), 'an offset of hours'],
  [INVALID, ships('2026-03-31T14:30:00Z+02:00'), 'two offsets'],
  [INVALID, ships('2026-03-31T14:30:00\u221202:00'), 'a minus sign that is not ASCII'],
  [INVALID, ships('2026‑03‑31T14:30:00Z'), 'hyphens that are not ASCII'],
  [INVALID, ships('２０２６-03-31T14:30:00Z'), 'full-width digits'],
  [INVALID, ships('٢٠٢٦-03-31T14:30:00Z'), 'Arabic digits'],
  [INVALID, ships('2026-03-31T14:30:00Z '), 'a trailing space'],
  [INVALID, ships('\ufeff2026-03-31T14:30:00Z'), 'a byte order mark'],
  [INVALID, ships('2026-03-31T14:30:00Z\n'), 'a trailing line break'],
  [INVALID, ships('2026-03-31T14:30:00Z\0'), 'a trailing NUL'],
  [INVALID, ships('\u200b2026-03-31T14:30:00Z'), 'a zero-width space'],
  [INVALID, ships('2026-03-31T14:30:00Z[Europe/Berlin]'), 'the name of a time zone'],
  [INVALID, ships('2026-03-31T14:30:00 CEST'), 'the name of a time zone'],
  [INVALID, ships('Tue, 31 Mar 2026 14:30:00 GMT'), 'the form of HTTP'],
  [INVALID, ships('now'), 'a word of the database'],
  [INVALID, ships('infinity'), 'a word of the database'],
  [INVALID, ships('epoch'), 'a word of the database'],
  [INVALID, ships('null'), 'null in quotes'],
  [INVALID, ships(''), 'an empty text'],
  [INVALID, patch('{"shipDate":1774967400}'), 'seconds since 1970'],
  [INVALID, patch('{"shipDate":1774967400000}'), 'milliseconds since 1970'],
  [INVALID, patch('{"shipDate":["2026-03-31T14:30:00Z"]}'), 'a list'],
  [INVALID, patch('{"shipDate":{}}'), 'an object'],
  [INVALID, patch('{"shipDate":false}'), 'a boolean'],
];
