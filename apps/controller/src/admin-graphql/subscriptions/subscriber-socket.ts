import type { WebSocket } from '@fastify/websocket';
import type { FastifyRequest } from 'fastify';
import { nobody, type Principal } from '../../auth/callers/principal.ts';

/** Reasons of our own why a connection is closed, beside those of the protocol. */
export const closeCodes = {
  /** Whose the token is cannot be told now: connect again. */
  tryAgain: 1013,
  /** The token was revoked or has expired. */
  unauthorized: 4401,
  /** What was sent was not read. */
  tooSlow: 4413,
  /** Too many connections, or messages. */
  tooMany: 4429,
} as const;

/** What has been sent and not been read, beyond one message: a client that reads nothing while it sends. */
const maximumBufferedBytes = 1024 * 1024;

/** Of a client, per second: it subscribes a few times, and answers pings. */
const maximumMessagesPerSecond = 50;

/** Seconds between pings; a client that has not answered one by the next is cut off. */
const pingSeconds = 15;

/** What a connection is recognised by. */
export type Credentials = Pick<FastifyRequest, 'method' | 'headers' | 'ip'>;

/** One client's connection. */
export class SubscriberSocket {
  readonly socket: WebSocket;
  /** Of whom it is, until its first message says otherwise. */
  credentials: Credentials;
  #principal: Principal | undefined;
  #principalKey: string | undefined;
  #messages = 0;
  #seconds = 0;
  #isAlive = true;

  constructor(socket: WebSocket, request: FastifyRequest) {
    this.socket = socket;
    this.credentials = request;
    this.#principal = request.principal;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('ping', () => this.#count());
  }

  get isKnown(): boolean {
    return this.#principal !== undefined;
  }

  get principal(): Principal {
    return this.#principal ?? nobody;
  }

  /** The same for all connections of one caller with the same rights. */
  get principalKey(): string {
    this.#principalKey ??= JSON.stringify(this.principal);
    return this.#principalKey;
  }

  identify(principal: Principal, credentials: Credentials): void {
    if (principal !== this.#principal) this.#principalKey = undefined;
    this.#principal = principal;
    this.credentials = credentials;
  }

  /** Resolves once it is handed to the system: a client that does not read is sent nothing more. */
  send(text: string): Promise<void> {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      // A connection that breaks is closed, which ends what is sent to it.
      socket.send(text, () => resolve());
    });
  }

  /** Calls the listener for every message within the limits. */
  onMessage(listener: (text: string) => Promise<void>): void {
    this.socket.on('message', (data: Buffer) => {
      if (this.#count()) void listener(data.toString('utf8'));
    });
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  closeSlow(): void {
    this.close(closeCodes.tooSlow, 'Events were not read in time: read what was missed, and subscribe again');
  }

  /** Once per second: counts anew, and sees whether the client is there. */
  tick(): void {
    this.#messages = 0;
    this.#seconds += 1;
    if (this.#seconds % pingSeconds !== 0) return;
    if (!this.#isAlive) {
      // It may be there and read nothing: where it reads on, it is told why.
      this.closeSlow();
      return;
    }
    this.#isAlive = false;
    this.socket.ping();
  }

  /** Whether the message is to be looked at. */
  #count(): boolean {
    this.#messages += 1;
    if (this.socket.bufferedAmount > maximumBufferedBytes && this.#messages > 1) this.socket.terminate();
    else if (this.#messages > maximumMessagesPerSecond) this.close(closeCodes.tooMany, 'Too many messages');
    else return this.socket.readyState === this.socket.OPEN;
    return false;
  }
}
