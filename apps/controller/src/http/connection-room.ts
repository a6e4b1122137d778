import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { QuietLines } from '../logging/quiet-lines.ts';

export interface ConnectionRoomOptions {
  /** Connections at a time: each takes some 10 kB and a descriptor of the process. */
  readonly maximum: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Monotonic, in milliseconds. For tests. */
  readonly now?: () => number;
}

/** A connection, and how much is made for its caller. */
interface Connection {
  readonly socket: Socket;
  underWay: number;
}

/**
 * Bounds the connections of a server. One beyond them makes the connection end that nothing has been done for the longest:
 * who fills the room with connections, idle or beginning, loses his own, and a probe or a caller is answered as before.
 */
export class ConnectionRoom {
  readonly #options: ConnectionRoomOptions;
  readonly #connections = new Map<string, Connection>();
  /** Those that nothing is made for, the longest first. */
  readonly #idle = new Map<string, Connection>();
  /** Those of connections that made room: a stranger may cause them. */
  readonly #lines: QuietLines;

  constructor(options: ConnectionRoomOptions) {
    this.#options = options;
    this.#lines = new QuietLines(options.now ?? (() => performance.now()));
  }

  install(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Keeps the connection of a request until its response, or the WebSocket that it has become, is closed. */
  hold(request: IncomingMessage, response: ServerResponse): void {
    const key = keyOf(request.socket);
    const connection = this.#connections.get(key);
    if (connection === undefined) return;
    connection.underWay += 1;
    this.#idle.delete(key);
    response.once('close', () => {
      connection.underWay -= 1;
      if (connection.underWay === 0 && this.#connections.get(key) === connection)
        this.#idle.set(key, connection);
    });
  }

  #add(socket: Socket): void {
    const key = keyOf(socket);
    const connection = { socket, underWay: 0 };
    this.#connections.set(key, connection);
    this.#idle.set(key, connection);
    socket.once('close', () => {
      if (this.#connections.get(key) === connection) this.#forget(key);
    });
    if (this.#connections.size > this.#options.maximum) this.#makeRoom();
  }

  /** The new one is among the idle: where something is made for all others, it is the one that ends. */
  #makeRoom(): void {
    const [longest] = this.#idle;
    if (longest === undefined) return;
    const [key, { socket }] = longest;
    this.#forget(key);
    socket.destroy();
    this.#report();
  }

  #forget(key: string): void {
    this.#connections.delete(key);
    this.#idle.delete(key);
  }

  #report(): void {
    const { maximum, logger } = this.#options;
    const alike = this.#lines.tell('ended to make room');
    if (alike === null) return;
    logger.warn(
      { maximum, alike, setting: 'listen.connections' },
      'a connection was ended to make room for a new one',
    );
  }
}

/** The same for a connection and for the TLS that is spoken over it, which are two sockets. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''} ${localAddress ?? ''}`;
}
