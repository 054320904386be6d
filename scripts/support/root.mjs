import { fileURLToPath } from 'node:url';

/** The checkout this script belongs to, wherever it was started from. */
export const root = fileURLToPath(new URL('../../', import.meta.url));
