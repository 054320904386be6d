import fc from 'fast-check';
import { instants, noInstants } from './instants.js';

interface Format {
  readonly valid: fc.Arbitrary<string>;
  /** Texts that only resemble valid ones. */
  readonly invalid: fc.Arbitrary<string>;
}

/** Changes that leave no valid text of formats without spaces. */
function spoilt(valid: fc.Arbitrary<string>, ...odd: string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('', 'x', '@', '://', ...odd),
    valid.chain((text) =>
      fc.constantFrom(` ${text}`, `${text} `, `${text}\n`, `${text}\0`, `${text} ${text}`, `<${text}>`),
    ),
  );
}

const emails = fc.emailAddress();
const uris = fc.webUrl();
const uuids = fc.uuid();

/** The formats of texts that the document may state. */
export const FORMATS: Readonly<Record<string, Format>> = {
  'date-time': { valid: instants, invalid: noInstants },
  email: {
    valid: emails,
    invalid: spoilt(emails, 'me', 'me@', '@b.example', 'a@@b.example', 'a b@c.example', 'me@b..example'),
  },
  uri: {
    valid: uris,
    invalid: spoilt(uris, 'b.example', '//b.example', 'http://', 'http:/b.example', 'http://b example/'),
  },
  uuid: {
    valid: uuids,
    invalid: spoilt(
      uuids,
      '8e03978e40d543ddbc936894a57f9324',
      '{8e03978e-40d5-43dd-bc93-6894a57f9324}',
      '8e03978e-40d5-43dd-bc93-6894a57f932',
      '8e03978e-40d5-43dd-bc93-6894a57f932g',
    ),
  },
};
