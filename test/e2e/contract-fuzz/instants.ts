import fc from 'fast-check';

const FIRST = new Date('0001-01-01T00:00:00.000Z');
const LAST = new Date('9999-12-31T23:59:59.999Z');
const ODD = ['1900-02-28T23:59:59.999Z', '2000-02-29T00:00:00.000Z', '1582-10-10T12:00:00.000Z'];
const MINUTE_MS = 60_000;

/** Date-times of RFC 3339 in one of their spellings: any year and offset, with and without a fraction. */
export const instants: fc.Arbitrary<string> = fc
  .record({
    moment: fc.oneof(
      { withCrossShrink: true },
      fc.date({ min: FIRST, max: LAST, noInvalidDate: true }),
      fc.constantFrom(FIRST, LAST, ...ODD.map((text) => new Date(text))),
    ),
    minutes: fc.oneof(fc.constant(0), fc.integer({ min: -1439, max: 1439 })),
    zero: fc.constantFrom('Z', '+00:00', '-00:00'),
    digits: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ moment, minutes, zero, digits }) => {
    const local = new Date(moment.getTime() + minutes * MINUTE_MS).toISOString();
    const isPlain = /^\d{4}-/.test(local); // beyond these years, ISO 8601 has six digits
    const text = isPlain ? local : moment.toISOString();
    return shortened(text.slice(0, -1), digits) + (isPlain && minutes !== 0 ? offset(minutes) : zero);
  });

/** Leaves zeros at the end of the fraction out, down to a number of digits. */
function shortened(text: string, digits: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(digits, '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}

function offset(minutes: number): string {
  const two = (n: number): string => String(Math.trunc(n)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

/** Texts that only resemble date-times. */
export const noInstants: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    'now',
    'tomorrow',
    'infinity',
    '2026-01-01',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+0100',
    '0000-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '10000-01-01T00:00:00Z',
    '+002026-01-01T00:00:00Z',
  ),
  instants.chain((text) =>
    fc.constantFrom(
      text.toLowerCase(),
      text.replace('T', ' '),
      text.replace(/(?:Z|[+-]\d\d:\d\d)$/, ''),
      text.replace(/(:\d\d)(?:\.\d+)?(?=[Z+-])/, '$1.1234'),
      text.replace(/(:\d\d)(?:\.\d+)?(?=[Z+-])/, '$1.'),
      text.replaceAll('-', '\u2010'),
      ` ${text}`,
      `${text}\n`,
      `${text}\0`,
      text + text,
    ),
  ),
);
