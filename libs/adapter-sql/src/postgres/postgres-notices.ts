import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresLocation } from '../connection/database-url.ts';
import { type ChangedPart, noticeChannel } from '../statements/change-notices.ts';
import { connectionSettings } from './connection-settings.ts';
import { endConnection } from './end-connection.ts';
import { postgresError } from './postgres-error.ts';

/** Who hears of changes that any process stores. */
export interface ChangeListener {
  /** A part has changed: a notice, which may come late, more than once, or, in an outage, not at all. It never throws. */
  readonly onChange: (part: ChangedPart) => void;
  /** Called once when notices stop coming, with the reason. */
  readonly onOutage: (reason: string) => void;
  /** Called once when they come again. What changed meanwhile had no notice. */
  readonly onReturn: () => void;
}

/** Notices on their way. */
export interface ChangeWatch {
  /** Ends it, and closes its connection. */
  readonly close: () => Promise<void>;
}

/** A connection that carries nothing else is asked for a sign of life so often: one that was cut says nothing. */
const lookMilliseconds = 15_000;

/** An answer that takes longer is none. */
const answerMilliseconds = 5_000;

/** How long to wait before another connection is tried, doubled with each that fails, and with jitter. */
const shortestWaitMilliseconds = 250;
const longestWaitMilliseconds = 10_000;

const parts: ReadonlySet<string> = new Set<ChangedPart>([
  'Sources',
  'Interventions',
  'Tokens',
  'Entries',
  'Losses',
  'Requests',
]);

/** Listens for notices on a connection of its own, and connects again when it breaks. */
export class PostgresNotices implements ChangeWatch {
  readonly #location: PostgresLocation;
  readonly #listener: ChangeListener;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #failures = 0;
  #isOut = false;

  constructor(location: PostgresLocation, listener: ChangeListener) {
    this.#location = location;
    this.#listener = listener;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#hasEnded()) {
      await this.#listen().catch((error: unknown) => this.#noteOutage(error));
      await this.#delay(this.#wait());
    }
  }

  /** Resolves at the end; rejects when the connection fails. */
  async #listen(): Promise<void> {
    const client = new pg.Client(connectionSettings(this.#location, answerMilliseconds));
    const broken = new Promise<never>((_, reject) => {
      client.once('error', reject);
      client.once('end', () => reject(new Error('Connection terminated')));
    });
    broken.catch(() => undefined);
    client.on('notification', ({ payload }) => {
      if (isPart(payload)) this.#listener.onChange(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${noticeChannel}`);
      this.#noteReturn();
      await Promise.race([broken, this.#staysAlive(client)]);
    } finally {
      await endConnection(client).catch(() => undefined);
    }
  }

  async #staysAlive(client: pg.Client): Promise<void> {
    for (;;) {
      await this.#delay(lookMilliseconds);
      if (this.#hasEnded()) return;
      await client.query('SELECT 1');
    }
  }

  #hasEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Resolves at the end, too. */
  async #delay(milliseconds: number): Promise<void> {
    const { signal } = this.#ending;
    await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
  }

  #wait(): number {
    const longest = Math.min(shortestWaitMilliseconds * 2 ** this.#failures, longestWaitMilliseconds);
    this.#failures += 1;
    return longest * (0.5 + Math.random() / 2);
  }

  #noteOutage(error: unknown): void {
    if (this.#isOut || this.#hasEnded()) return;
    this.#isOut = true;
    this.#listener.onOutage(postgresError(error, this.#location).message);
  }

  #noteReturn(): void {
    this.#failures = 0;
    if (!this.#isOut) return;
    this.#isOut = false;
    this.#listener.onReturn();
  }
}

function isPart(payload: string | undefined): payload is ChangedPart {
  return payload !== undefined && parts.has(payload);
}
