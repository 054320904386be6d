import { connect, createServer, type Server, type Socket } from 'node:net';

/** Data is forwarded, held back in both directions, or only answers are held back. */
type State = 'whole' | 'frozen' | 'deaf';

/** A TCP proxy between the service and its database, which tests can freeze or cut. */
export class Wire {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private readonly dead = new Set<readonly [Socket, Socket]>();
  private state: State = 'whole';
  private server: Server | undefined;

  private constructor(private target: URL) {}

  static async to(url: string): Promise<Wire> {
    const wire = new Wire(new URL(url));
    await wire.listen(0);
    return wire;
  }

  /** The address of the database through this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Sends new connections to another server, and keeps the others. */
  leadTo(url: string): void {
    this.target = new URL(url);
  }

  /** Holds back all data without closing connections, like a frozen server. */
  freeze(): void {
    this.change('frozen');
  }

  /** Delivers statements, and holds back their answers. */
  loseAnswers(): void {
    this.change('deaf');
  }

  /** Loses a connection for ever, as a firewall that forgot it. `port` is its own at the server. */
  lose(port: number, lost: 'everything' | 'answers'): void {
    for (const pair of this.pairs) {
      if (pair[1].localPort !== port) continue;
      this.dead.add(pair);
      if (lost === 'everything') pair[0].pause();
      pair[1].pause();
    }
  }

  /** Delivers everything that was held back, but for lost connections. */
  mend(): void {
    this.change('whole');
  }

  /** Closes all connections and refuses new ones. */
  async cut(): Promise<void> {
    const { server, port } = this;
    const closed = new Promise((resolve) => server?.close(resolve));
    this.closePairs();
    await closed;
    this.lastPort = port;
  }

  /** Accepts connections again at the same address. */
  async join(): Promise<void> {
    await this.listen(this.lastPort);
  }

  async close(): Promise<void> {
    this.closePairs();
    const { server } = this;
    if (server?.listening) await new Promise((resolve) => server.close(resolve));
  }

  private lastPort = 0;

  private get port(): number {
    return (this.server?.address() as { port: number } | null)?.port ?? this.lastPort;
  }

  private async listen(port: number): Promise<void> {
    const server = createServer((near) => this.link(near));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    this.server = server;
  }

  private link(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    const pair = [near, far] as const;
    this.pairs.add(pair);
    const end = (): void => {
      this.pairs.delete(pair);
      this.dead.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
    this.apply(pair);
  }

  private change(state: State): void {
    this.state = state;
    for (const pair of this.pairs) if (!this.dead.has(pair)) this.apply(pair);
  }

  private apply([near, far]: readonly [Socket, Socket]): void {
    if (this.state === 'frozen') near.pause();
    else near.resume();
    if (this.state === 'whole') far.resume();
    else far.pause();
  }

  private closePairs(): void {
    for (const [near] of this.pairs) near.destroy();
  }
}
