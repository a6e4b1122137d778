import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** An address on loopback that leads to a server, and carries what is sent both ways as a test wants it. */
export class LoopbackLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;
  /** Resolves when the next bytes may go on. */
  #passage: () => Promise<unknown> = () => Promise.resolve();
  #open: () => void = () => undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((from) => {
      const to = connect(this.#target, '127.0.0.1');
      this.#carry(from, to);
      this.#carry(to, from);
    });
  }

  static async start(target: number): Promise<LoopbackLink> {
    const link = new LoopbackLink(target);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  /** A URL of the server that it leads to, by this address. */
  urlOf(url: string): string {
    const parsed = new URL(url);
    parsed.port = String((this.#server.address() as AddressInfo).port);
    return parsed.href;
  }

  /** Leads to another server, as the address of a service does in a failover, and cuts what is connected. */
  leadTo(target: number): void {
    this.#target = target;
    this.cut();
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.#sockets) {
      // One that has said its end cannot be reset: it would stay open, and keep the process from ending.
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  /** Keeps everything back that is sent from now on, until {@link open}. */
  hang(): void {
    this.open();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#open = () => resolve(undefined);
    this.#passage = () => promise;
  }

  /** Delivers everything later that is sent from now on, until {@link open}. */
  deliverLate(milliseconds: number): void {
    this.open();
    this.#passage = () => delay(milliseconds);
  }

  /** Carries everything at once again, first what was kept back. */
  open(): void {
    this.#passage = () => Promise.resolve();
    this.#open();
  }

  async close(): Promise<void> {
    this.open();
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    let carried: Promise<unknown> = Promise.resolve();
    const then = (work: () => void): void => {
      carried = carried.then(() => this.#passage()).then(work);
    };
    from.on('data', (bytes) => then(() => void to.write(bytes)));
    from.on('end', () => then(() => to.end()));
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      then(() => to.destroy());
    });
  }
}
