import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Server as SecureServer } from 'node:tls';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { messageOf } from '#kernel';
import type { ClockPort } from '#reconciliation';
import { listenFault } from './listen-fault.ts';
import { loadTlsCertificate, type TlsCertificate, type TlsFiles } from './tls-files.ts';

/** Where the API listens. */
export interface ListenAddress {
  readonly address: string;
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
}

/** A changed certificate that cannot be used, while the one before it is still shown, or one that is shown and that no caller accepts now. */
interface UnusableCertificate {
  /** RFC 3339. */
  readonly since: string;
  /** Names the settings and their files. */
  readonly message: string;
}

/** Rotated certificates are in force after so long; connections that are open keep theirs. */
const lookMilliseconds = 10_000;

/** The API's socket: opened by the start, and not by Nest, so that it has its place in the order. */
export class HttpListener {
  readonly #host: HttpAdapterHost;
  readonly #address: ListenAddress;
  readonly #logger: Logger;
  readonly #clock: Pick<ClockPort, 'now'>;
  #looks: NodeJS.Timeout | undefined;
  #certificate: TlsCertificate | undefined;
  #unusable: UnusableCertificate | null = null;

  constructor(
    host: HttpAdapterHost,
    address: ListenAddress,
    { logger, clock }: { readonly logger: Logger; readonly clock: Pick<ClockPort, 'now'> },
  ) {
    this.#logger = logger;
    this.#clock = clock;
    this.#host = host;
    this.#address = address;
  }

  /** Notes what the socket was made with, undefined without TLS: other files are a rotation, also where that was before the first look. */
  noteShown(certificate: TlsCertificate | undefined): void {
    this.#certificate = certificate;
  }

  /** Until when the certificate that new connections are shown is valid, in seconds since 1970; null: there is none. */
  get certificateExpiresAt(): number | null {
    if (this.#certificate === undefined) return null;
    return Date.parse(new X509Certificate(this.#certificate.cert).validTo) / 1_000;
  }

  /** Null: the files hold what new connections are shown, and it is valid now. */
  get unusableCertificate(): UnusableCertificate | null {
    return this.#unusable;
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
      this.#use(await loadTlsCertificate(tls), tls);
    } catch (error) {
      this.#tellUnusable(messageOf(error), tls);
    }
  }

  #use(certificate: TlsCertificate, files: TlsFiles): void {
    const before = this.#certificate;
    const isSame = certificate.cert === before?.cert && certificate.key === before.key;
    if (!isSame) (this.#server.server as unknown as SecureServer).setSecureContext(certificate);
    this.#certificate = certificate;
    const former = this.#unusable;
    this.#unusable = this.#notValidNow(files.certFile);
    // Otherwise it has been told, and nothing has changed since.
    if (!isSame || former?.message !== this.#unusable?.message)
      this.#tellShown(files, !isSame || former !== null);
  }

  #tellShown({ certFile, keyFile }: TlsFiles, isAnew: boolean): void {
    if (isAnew)
      this.#logger.info({ certFile, keyFile }, 'the certificate in the files is shown to new connections');
    if (this.#unusable === null) return;
    const { since, message } = this.#unusable;
    this.#logger.warn({ certFile, since, reason: message }, 'the certificate that is shown is not valid now');
  }

  /** Callers refuse one that has expired or is not valid yet, and see no more of the API than that. */
  #notValidNow(certFile: string): UnusableCertificate | null {
    if (this.#certificate === undefined) return null;
    const { validFrom, validTo } = new X509Certificate(this.#certificate.cert);
    const [begin, end] = [Date.parse(validFrom), Date.parse(validTo)];
    const now = this.#clock.now();
    const setting = `listen.tls.certFile ${certFile}`;
    if (Date.parse(now) >= end) {
      const since = new Date(end).toISOString();
      return { since, message: `${setting}: the certificate expired at ${since}` };
    }
    if (Date.parse(now) >= begin) return null;
    const message = `${setting}: the certificate is not valid before ${new Date(begin).toISOString()}`;
    // It is looked at again and again.
    const since = this.#unusable?.message === message ? this.#unusable.since : now;
    return { since, message };
  }

  /** Once for each reason, as it is looked at again and again. */
  #tellUnusable(message: string, { certFile, keyFile }: TlsFiles): void {
    if (message === this.#unusable?.message) return;
    this.#unusable = { since: this.#unusable?.since ?? this.#clock.now(), message };
    this.#logger.warn(
      { certFile, keyFile, reason: message },
      'the changed certificate cannot be used; the one before it stays',
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    await this.#host.httpAdapter.close();
  }

  get #server(): FastifyInstance {
    return this.#host.httpAdapter.getInstance<FastifyInstance>();
  }
}
