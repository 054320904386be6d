import { type Rule, scalar } from './rule.js';

const HOUR = '(?:[01][0-9]|2[0-3])';
const MINUTE = '[0-5][0-9]';
const PATTERN =
  `^[0-9]{4}-[0-9]{2}-[0-9]{2}T${HOUR}:${MINUTE}:${MINUTE}(?:\\.[0-9]{1,3})?` +
  `(?:Z|[+-]${HOUR}:${MINUTE})$`;

const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** A moment of RFC 3339, held as a `Date`, and answered in UTC with milliseconds. */
export function dateTime(): Rule<Date> {
  const pattern = new RegExp(PATTERN);
  const read = (value: unknown): Date | undefined => {
    if (typeof value !== 'string' || !pattern.test(value) || !isOnCalendar(value)) return undefined;
    const time = Date.parse(value);
    return time >= EARLIEST && time <= LATEST ? new Date(time) : undefined;
  };
  return scalar({
    schema: { type: 'string', format: 'date-time', pattern: PATTERN },
    expected:
      'a date-time of RFC 3339 with an offset, such as 2026-03-31T14:30:00Z or 2026-03-31T16:30:00.250+02:00, ' +
      'in the years 0001 to 9999 of UTC',
    fromJson: read,
    fromText: read,
  });
}

/** `Date` turns 30 February into 1 or 2 March. */
function isOnCalendar(text: string): boolean {
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
