import type { AddressInfo } from 'node:net';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';

/** Where the API listens. */
export interface ListenAddress {
  readonly address: string;
  readonly port: number;
}

/** The API's socket: opened by the start, and not by Nest, so that it has its place in the order. */
export class HttpListener {
  readonly #host: HttpAdapterHost;
  readonly #address: ListenAddress;

  constructor(host: HttpAdapterHost, address: ListenAddress) {
    this.#host = host;
    this.#address = address;
  }

  /** `http://127.0.0.1:8080`; to be read while it listens. */
  get url(): string {
    const { address } = this.#address;
    const { port } = this.#server.server.address() as AddressInfo;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /** @throws Error where the port is taken or not ours to take. */
  async listen(): Promise<void> {
    await this.#server.listen({ host: this.#address.address, port: this.#address.port });
  }

  async close(): Promise<void> {
    await this.#host.httpAdapter.close();
  }

  get #server(): FastifyInstance {
    return this.#host.httpAdapter.getInstance<FastifyInstance>();
  }
}
