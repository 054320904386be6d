/** A PostgreSQL server of this process. */
export interface Cluster {
  readonly url: string;
  readonly data: string;
  /** Runs pg_ctl: `pgCtl('stop', '-m', 'immediate')`. */
  pgCtl(command: string, ...args: string[]): Promise<void>;
  stop(): Promise<void>;
}

export declare function startCluster(binaries: string, settings?: Record<string, string>): Promise<Cluster>;
export declare function startStandby(
  binaries: string,
  primary: Cluster,
  settings?: Record<string, string>,
): Promise<Cluster>;
