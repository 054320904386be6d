import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { PGliteSession } from './pglite-session.js';
import { PGliteStream } from './pglite-stream.js';

/** A command line that was suspended within a transaction must not hold up this process for longer. */
const SILENCE_MS = 3_000;
/** Command lines take less, and the service must end in time. */
const LEAVE_MS = 2_000;
const CHECK_MS = 20;

/** Serves command lines of other processes. Their transactions take turns with those of this process. */
export class Guests {
  private present = 0;

  constructor(private readonly session: PGliteSession) {}

  admit(socket: Socket): void {
    const guest = this.session.guest();
    this.present++;
    socket.setTimeout(SILENCE_MS, () => {
      if (this.session.isHeldBy(guest)) socket.destroy();
    });
    pipeline(socket, new PGliteStream(guest), socket, () => this.present--);
  }

  async haveLeft(): Promise<void> {
    for (const end = performance.now() + LEAVE_MS; this.present > 0 && performance.now() < end;)
      await pause(CHECK_MS);
  }
}
