import { expect, it } from '@jest/globals';
import { isConnectFailure } from './connect-failures.js';

const failure = (message: string, code?: string) => Object.assign(new Error(message), code && { code });

it.each([
  failure('certificate has expired', 'CERT_HAS_EXPIRED'),
  failure('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
  failure('unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
  failure("Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'),
  failure('permission denied', 'EACCES'),
  failure('The server does not support SSL connections'),
  failure('timeout expired'),
])('%s can be mended without a restart', (error) => {
  expect(isConnectFailure(error)).toBe(true);
});

it.each([
  failure('relation exists', '42P07'),
  failure('Entity "Pet" does not have a primary column.'),
  new TypeError('up is not a function'),
])('%s cannot', (error) => {
  expect(isConnectFailure(error)).toBe(false);
});
