import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** An address that leads to one of several servers, as a service or a virtual address does. */
export class FailoverAddress {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((from) => {
      const to = connect(this.#target, '127.0.0.1');
      for (const [socket, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
  }

  static async start(target: number): Promise<FailoverAddress> {
    const address = new FailoverAddress(target);
    address.#server.listen(0, '127.0.0.1');
    await once(address.#server, 'listening');
    return address;
  }

  /** A URL of the server that it leads to, by this address. */
  urlOf(url: string): string {
    const parsed = new URL(url);
    parsed.port = String((this.#server.address() as AddressInfo).port);
    return parsed.href;
  }

  /** Leads to another server, and cuts what is connected. */
  leadTo(target: number): void {
    this.#target = target;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
