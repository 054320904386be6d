import type { Cluster } from './postgres-cluster.mjs';

export interface CitusCluster {
  /** Of the superuser, the coordinator's first. */
  readonly urls: readonly string[];
  /** Of the role of the service. */
  readonly serviceUrl: string;
  readonly workerUrls: readonly string[];
  /** The coordinator first. */
  readonly nodes: readonly Cluster[];
  stop(): Promise<void>;
}

export declare function startCitus(
  binaries: string,
  settings?: Record<string, string>,
): Promise<CitusCluster>;
export declare function createOnCitus(urls: readonly string[], name: string): Promise<void>;
export declare function ofService(url: string, database: string): string;
export declare function dropOnCitus(urls: readonly string[], name: string): Promise<void>;
