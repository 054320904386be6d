import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { DATABASE_LIMITS } from '../limits.js';
import type { PGliteSession } from './pglite-session.js';
import { PGliteStream } from './pglite-stream.js';

const { waitMs, answerMs } = DATABASE_LIMITS;

/** As long as transactions may take. One that was suspended or abandoned holds up this process. */
const TURN_MS = waitMs + answerMs;
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
    const watch = setInterval(() => {
      if (this.session.isHeldBy(guest, TURN_MS)) socket.destroy();
    }, CHECK_MS);
    pipeline(socket, new PGliteStream(guest), socket, () => {
      clearInterval(watch);
      this.present--;
    });
  }

  async haveLeft(): Promise<void> {
    for (const end = performance.now() + LEAVE_MS; this.present > 0 && performance.now() < end;)
      await pause(CHECK_MS);
  }
}
