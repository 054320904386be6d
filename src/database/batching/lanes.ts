/** How many batches of a kind are under way at once: few, so that statements meet; more would carry them in smaller ones. */
export const LANES = { read: 1, write: 1 } as const;

/** Connections that are not TypeORM's: those of the lanes, and that of the heartbeat. */
export const OWN_CONNECTIONS = LANES.read + LANES.write + 1;
