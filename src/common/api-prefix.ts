/** The path that every operation of the interface begins with. Health checks and documentation are outside of it. */
export const API_PREFIX = '/v1';
