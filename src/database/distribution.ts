import type { ClientBase, ClientConfig, DatabaseError } from 'pg';
import type { QueryRunner } from 'typeorm';
import type { Row, Statement } from './batching/statement.js';
import type { OtherTables } from './kept.js';
import type { Follower } from './standbys/follower.js';

/** The nodes that hold the tables. */
export interface ClusterNodes {
  /** Tells which of them the coordinator can reach. */
  check(): Promise<NodesSeen>;
  close(): Promise<void>;
}

/** By host and port. */
export interface NodesSeen {
  readonly present: readonly string[];
  readonly missing: readonly string[];
}

export type Ask = (statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

/** What is different where tables are spread over the nodes of a cluster. */
export interface Distribution {
  /** Connections that read. Each waits for other nodes meanwhile. */
  readonly readConnections: number;
  /** An insert of one row, for several: with the values of the rows one after the other. */
  insertOf(statement: Statement, rows: number): Statement;
  /** Whether a refused write may be stored nevertheless. */
  mayBeStored(error: DatabaseError): boolean;
  /** Rejects with what to do when the server is not the coordinator of a usable cluster. */
  requireCluster(runner: QueryRunner): Promise<void>;
  /** Lets migrations create tables that refer to distributed ones: `distribute` adds the references. */
  postponeReferences(runner: QueryRunner): Promise<void>;
  /** Distributes the tables of the runner's entities, and others, that are not distributed yet. Returns their names. */
  distribute(runner: QueryRunner, others: OtherTables): Promise<string[]>;
  /** Prepares a new connection to the coordinator for requests. When it rejects, the connection is not made. */
  readonly onConnect: (client: ClientBase) => Promise<void>;
  nodes(config: ClientConfig): ClusterNodes;
  /** Tells whether a server that is named as a standby is a node that may answer reads. */
  follower(askCoordinator: Ask): Follower;
}
