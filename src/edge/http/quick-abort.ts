import { IncomingMessage } from 'node:http';

/** As Node.js has it for each request, but with a stack that is already text. */
const ABORTED = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
void ABORTED.stack;

/**
 * When a connection closes, Node.js aborts all its requests at once, with an error for each, whose stack it formats with
 * source maps: beside clients that pipelined and left, that took a sixth of a replica's time.
 */
export class QuickAbortRequest extends IncomingMessage {
  override destroy(error?: NodeJS.ErrnoException): this {
    return super.destroy(error?.code === ABORTED.code && error.message === ABORTED.message ? ABORTED : error);
  }
}
