import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import pg from 'pg';

/** A TCP proxy between the service and its database, which tests can freeze, deafen, break or cut. */
export class Wire {
  /** By the service. */
  readonly sent: Buffer[] = [];
  private readonly pairs = new Set<readonly [near: Socket, far: Socket]>();
  private server: Server | undefined;
  private port = 0;
  private holds = { requests: false, answers: false };
  private trap: { text: string; spring: () => void } | undefined;
  private breaking: string | undefined;

  private constructor(private readonly database: string) {}

  static async to(database: string): Promise<Wire> {
    const wire = new Wire(database);
    await wire.join();
    return wire;
  }

  /** The address of the database through this proxy. */
  get url(): string {
    const { user, password, database } = new pg.Client(this.database);
    const secret = password ? `:${encodeURIComponent(password)}` : '';
    return `postgres://${encodeURIComponent(user ?? '')}${secret}@127.0.0.1:${this.port}/${database}`;
  }

  /** Holds back all data without closing connections, like a frozen server. */
  freeze(): void {
    this.hold({ requests: true, answers: true });
  }

  /** Delivers statements, and holds back their answers. */
  loseAnswers(): void {
    this.hold({ requests: false, answers: true });
  }

  /** Freezes the connection on which the service sends this, before it arrives. Resolves when it is sent. */
  freezeAt(text: string): Promise<void> {
    return new Promise((spring) => (this.trap = { text, spring }));
  }

  /** Delivers everything that was held back. */
  mend(): void {
    this.trap = undefined;
    this.hold({ requests: false, answers: false });
  }

  /** Delivers the next data with this text, and closes its connection before the answer. */
  breakAt(text = ''): void {
    this.breaking = text;
  }

  /** Closes all connections and refuses new ones. */
  async cut(): Promise<void> {
    const { server } = this;
    for (const [near] of this.pairs) near.destroy();
    if (server?.listening) await new Promise((closed) => server.close(closed));
  }

  /** Accepts connections, again at the same port. */
  async join(): Promise<void> {
    if (this.server?.listening) return;
    const server = createServer((near) => this.link(near));
    await new Promise<void>((listening) => server.listen(this.port, '127.0.0.1', listening));
    this.server = server;
    this.port = (server.address() as { port: number }).port;
  }

  private link(near: Socket): void {
    const far = connect(this.target());
    const pair = [near, far] as const;
    this.pairs.add(pair);
    const end = (): void => {
      this.pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.on('data', (bytes: Buffer) => {
      this.sent.push(bytes);
      if (this.trap && bytes.includes(this.trap.text)) {
        near.pause().unshift(bytes);
        return this.trap.spring();
      }
      far.write(bytes);
      if (this.breaking === undefined || !bytes.includes(this.breaking)) return;
      this.breaking = undefined;
      near.destroy();
    });
    far.on('data', (bytes) => near.write(bytes));
    this.apply(pair);
  }

  private target(): NetConnectOpts {
    const { host, port } = new pg.Client(this.database);
    return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  }

  private hold(holds: Wire['holds']): void {
    this.holds = holds;
    for (const pair of this.pairs) this.apply(pair);
  }

  private apply([near, far]: readonly [Socket, Socket]): void {
    if (this.holds.requests) near.pause();
    else near.resume();
    if (this.holds.answers) far.pause();
    else far.resume();
  }
}
