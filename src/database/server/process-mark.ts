import { randomBytes } from 'node:crypto';
import { SERVICE_NAME } from '../../common/contract.js';

/** In front of the statements of this process that pass a pooler, which hides whose statements the server works on. */
export const PROCESS_MARK = `/* ${SERVICE_NAME} ${randomBytes(4).toString('hex')} */ `;
