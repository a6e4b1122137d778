import type { AddressInfo } from 'node:net';
import type { Server as SecureServer } from 'node:tls';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { messageOf } from '#kernel';
import { listenFault } from './listen-fault.ts';
import { loadTlsCertificate, type TlsCertificate, type TlsFiles } from './tls-files.ts';

/** Where the API listens. */
export interface ListenAddress {
  readonly address: string;
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
}

/** Rotated certificates are in force after so long; connections that are open keep theirs. */
const lookMilliseconds = 10_000;

/** The API's socket: opened by the start, and not by Nest, so that it has its place in the order. */
export class HttpListener {
  readonly #host: HttpAdapterHost;
  readonly #address: ListenAddress;
  readonly #logger: Logger;
  #looks: NodeJS.Timeout | undefined;
  #certificate: TlsCertificate | undefined;

  constructor(host: HttpAdapterHost, address: ListenAddress, logger: Logger) {
    this.#logger = logger;
    this.#host = host;
    this.#address = address;
  }

  /** `http://127.0.0.1:8080`; to be read while it listens. */
  get url(): string {
    const { address, tls } = this.#address;
    const scheme = tls === undefined ? 'http' : 'https';
    const { port } = this.#server.server.address() as AddressInfo;
    return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /** @throws AdapterError naming the setting where the port is taken or not ours to take */
  async listen(): Promise<void> {
    const { address, port } = this.#address;
    try {
      await this.#server.listen({ host: address, port });
    } catch (error) {
      throw listenFault(error, {
        address,
        port,
        settings: { port: 'listen.port', address: 'listen.address' },
      });
    }
    if (this.#address.tls === undefined) return;
    this.#looks = setInterval(() => void this.reloadCertificate(), lookMilliseconds).unref();
  }

  /** Takes a certificate that was put in the place of the one in use; one that cannot be used is left, and told. */
  async reloadCertificate(): Promise<void> {
    const { tls } = this.#address;
    if (tls === undefined) return;
    try {
      const certificate = await loadTlsCertificate(tls);
      if (certificate.cert === this.#certificate?.cert && certificate.key === this.#certificate.key) return;
      (this.#server.server as unknown as SecureServer).setSecureContext(certificate);
      this.#certificate = certificate;
    } catch (error) {
      this.#logger.warn(
        { reason: messageOf(error) },
        'the changed certificate cannot be used; the one before it stays',
      );
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    await this.#host.httpAdapter.close();
  }

  get #server(): FastifyInstance {
    return this.#host.httpAdapter.getInstance<FastifyInstance>();
  }
}
