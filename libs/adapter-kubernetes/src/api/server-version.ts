import { isJsonObject } from '#kernel';
import type { ApiClient } from './api-client.ts';

/** The version of the API server, asked now and again: what it did not support it may support after an upgrade. */
export class ServerVersion {
  readonly #client: ApiClient;
  #current: string | null = null;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** `v1.36.3`; null: not known yet. */
  get current(): string | null {
    return this.#current;
  }

  /** Asks again. A failure leaves the version that was known. */
  async refresh(): Promise<void> {
    try {
      const answer = await this.#client.json({ path: '/version' });
      const version = isJsonObject(answer) ? answer['gitVersion'] : undefined;
      if (typeof version === 'string') this.#current = version;
    } catch {
      // It only decides when a refused HPA is tried again.
    }
  }
}
