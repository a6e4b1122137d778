import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy on loopback that tunnels for clients with the password. */
export class ConnectProxy {
  /** `user:password` that every tunnel must bring. */
  credentials = '';
  /** `host:port` of each tunnel, in order. */
  readonly tunnels: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  constructor() {
    this.#server = createServer((_request, response) => response.writeHead(400).end());
    this.#server.on('connect', (request, socket) => this.#connect(request, socket));
  }

  /** `127.0.0.1:port`. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(request: IncomingMessage, socket: Duplex): void {
    this.#hold(socket);
    const wanted = `Basic ${Buffer.from(this.credentials).toString('base64')}`;
    if (request.headers['proxy-authorization'] !== wanted) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\n' +
          'Content-Length: 0\r\nConnection: close\r\n\r\n',
      );
      return;
    }
    this.tunnels.push(request.url ?? '');
    const [host = '', port] = (request.url ?? '').split(':');
    const target: Socket = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    this.#hold(target);
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
