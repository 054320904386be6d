import { describe, expect, it } from '@jest/globals';
import { type Meaning, meaningOf } from './sqlstate.js';

/** Every code in the appendix of PostgreSQL's manual, as class and rest, by meaning. */
const EXPECTED: Record<Meaning, string> = {
  own: `
    03 000; 09 000; 0B 000; 0F 000 001; 0L 000 P01; 0P 000; 0Z 000 002; 20 000; 21 000;
    22 000 002 003 004 005 007 008 009 00B 00C 00D 00F 00G 00L 00M 00N 00S 00T 010 011 012 013 014 015 016 018
       019 01B 01E 01F 01G 01W 01X 021 022 023 024 025 026 027 02E 02G 02H 030 031 032 033 034 035 036 037 038 039 03A
       03B 03C 03D 03E 03F 03G P01 P03 P04 P05 P06;
    23 000 001 503 505 514 P01; 24 000; 25 000 001 002 003 004 005 007 008 P01 P02; 27 000; 2B 000 P01; 2D 000;
    2F 000 002 003 004 005; 34 000; 38 000 001 002 003 004; 39 000 001 004 P01 P02 P03; 3B 000 001; 40 002;
    42 000 601 602 611 622 701 702 710 712 723 725 803 809 830 846 8C9 939 P02 P03 P04 P06 P07 P08 P09 P10 P11 P12 P13
       P14 P15 P16 P17 P18 P19 P20 P21 P22;
    44 000; 54 000 001 011 023; 55 000 P02 P04;
    HV 000 002 004 005 006 007 008 009 00A 00B 00C 00D 00J 00K 00L 00M 00P 00Q 00R 010 014 021 024 090 091;
    P0 000 001 002 003 004; XX 000`,
  busy: '55 006 P03; 57 014',
  conflict: '40 000 001 P01; 72 000',
  stale: '26 000; 42 P05',
  schema: '0A 000; 22 001 00H P02; 23 502; 3F 000; 42 501 703 704 804 883 P01',
  outage: `
    25 006 P03 P04; 28 000 P01; 3D 000; 53 000 100 200 300 400; 57 000 P01 P02 P03 P04 P05; 58 000 030 P01 P02;
    F0 000 001; HV 001 00N; XX 001 002`,
  unknown: '08 000 001 003 004 006 007 P01; 40 003',
};

const cases = Object.entries(EXPECTED).flatMap(([meaning, classes]) =>
  classes.split(';').flatMap((line) => {
    const [start, ...rests] = line.trim().split(/\s+/);
    return rests.map((rest): [string, Meaning] => [`${start}${rest}`, meaning as Meaning]);
  }),
);

describe('An SQLSTATE', () => {
  it('has one meaning', () => {
    expect(new Set(cases.map(([code]) => code)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(235);
  });

  it.each(cases)('%s means %s', (code, meaning) => {
    expect(meaningOf(code)).toBe(meaning);
  });

  it.each(['', 'ZZ999', 'P9999', '4XYZ1'])(
    'that is not listed, such as "%s", is the statement’s own',
    (code) => {
      expect(meaningOf(code)).toBe('own');
    },
  );

  it.each<[string, string, Meaning]>([
    ['0A000', 'RevalidateCachedQuery', 'stale'],
    ['0A000', 'transformInsertStmt', 'schema'],
    ['54000', 'GetNewTransactionId', 'outage'],
    ['54000', 'GetNewMultiXactId', 'outage'],
    ['54000', '_bt_check_third_page', 'own'], // a value is too long for an index
    ['55000', 'CheckMyDatabase', 'outage'],
    ['55000', 'InitPostgres', 'outage'],
    ['XX000', 'ReportResultError', 'unknown'],
    ['23505', 'ReportResultError', 'own'],
  ])('%s from the function %s in the server means %s', (code, routine, meaning) => {
    expect(meaningOf(code, routine)).toBe(meaning);
  });
});
