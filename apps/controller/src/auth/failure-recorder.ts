import { adminStream, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';

/** At most one entry so often, whoever fails and how often. */
const periodMilliseconds = 60_000;

/** Addresses that are counted apart in a period, and those that an entry names. */
const maximumAddresses = 1_000;
const maximumNamed = 10;

export interface FailureRecorderOptions {
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now'>;
}

/**
 * Records that requests failed to authenticate: one entry per minute over all addresses, with how many there were and
 * where most came from, so that nobody without a token fills a ledger that nothing is deleted from.
 */
export class FailureRecorder {
  readonly #options: FailureRecorderOptions;
  readonly #counts = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FailureRecorderOptions) {
    this.#options = options;
  }

  readonly note = (address: string): void => {
    this.#count += 1;
    if (this.#counts.has(address) || this.#counts.size < maximumAddresses)
      this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
    this.#timer ??= setTimeout(() => void this.flush(), periodMilliseconds).unref();
  };

  /** Records what has been counted. What cannot be stored is not recorded: it was refused all the same. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#count === 0) return;
    const count = this.#count;
    const addresses = [...this.#counts]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, maximumNamed)
      .map(([address, failures]) => ({ address, count: failures }));
    this.#count = 0;
    this.#counts.clear();
    const { writer, clock } = this.#options;
    const payload = {
      actor: 'nobody',
      action: 'Authenticate',
      outcome: 'Refused',
      reason: `${count} requests within a minute without a valid token`,
      arguments: { count, addresses },
    } as const;
    await writer
      .append({ drafts: [{ stream: adminStream, kind: 'OperatorAction', time: clock.now(), payload }] })
      .catch(() => undefined);
  }
}
