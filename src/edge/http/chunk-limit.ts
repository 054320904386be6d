import { LIMITS } from '../limits.js';
import { QuickAbortRequest } from './quick-abort.js';

/** What a chunk of a body takes in memory until it is read, beside its bytes. */
export const CHUNK_BYTES = 350;

const CHUNKS = Symbol('chunks');

declare module 'node:http' {
  interface IncomingMessage {
    [CHUNKS]?: number;
  }
}

/** Refuses a body in very many chunks: one of 16 KiB would take 5 MiB if each were a byte. */
export class ChunkLimitedRequest extends QuickAbortRequest {
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null) return super.push(chunk, encoding);
    const chunks = (this[CHUNKS] = (this[CHUNKS] ?? 0) + 1);
    if (chunks <= LIMITS.chunks) return super.push(chunk, encoding);
    // The server answers it like malformed HTTP. The rest is dropped.
    if (chunks === LIMITS.chunks + 1) this.socket.emit('error', new Error('Too many chunks'));
    return true;
  }
}
