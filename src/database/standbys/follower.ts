import type pg from 'pg';

/** What the server has is not what the primary had. */
export class NotFollowing extends Error {}

/** Tells whether a server has what the primary has. Rejects when it may not serve. */
export interface Follower {
  /** For a batch. */
  readonly answerMs: number;
  /** The bytes of the log that were missing when it was last asked. */
  readonly lag: number;
  /** Resolves once the server of the connection has what the primary had at the call. */
  catchUp(client: pg.ClientBase): Promise<void>;
  /** The same; a server that has started anew, or whose primary has, may show first that it follows. */
  follow(client: pg.ClientBase): Promise<void>;
}
