/** Of TLS, in the words of OpenSSL and of Node.js, and of the files that an address names. */
const CODES =
  /^(?:CERT_|CRL_|DEPTH_ZERO_|ERR_OSSL_|ERR_SSL_|ERR_TLS_|HOSTNAME_|INVALID_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|EACCES$|EISDIR$|EMFILE$|ENOTDIR$)/;
/** Of pg. */
const TEXTS =
  /^(?:The server does not support SSL|timeout expired$|There was an error establishing an SSL connection|SASL: )/;

/** Whether a connection could not be made for a reason that can be mended without a restart, such as a certificate. */
export function isConnectFailure(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    (typeof code === 'string' && CODES.test(code)) || (typeof message === 'string' && TEXTS.test(message))
  );
}
