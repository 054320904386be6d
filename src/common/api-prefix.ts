/** The path prefix of every API operation. Health checks and the documentation are outside of it. */
export const API_PREFIX = '/v1';
