import type { LeasePort } from '#coordination';
import { AdapterError, messageOf } from '#kernel';
import type { ClockPort } from '#reconciliation';

/** Why an application is started anew: the process may use Leases now, or may not any more. */
export class LeaseRightsChanged extends Error {
  override readonly name = 'LeaseRightsChanged';
  /** What it may not do, and what allows it; null: it may do everything. */
  readonly forbidden: string | null;

  constructor(forbidden: string | null) {
    super(forbidden ?? 'the Leases may be used again');
    this.forbidden = forbidden;
  }
}

/** The part of the logger that it uses. */
export interface LeaseRightsLog {
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface LeaseRightsOptions {
  readonly leases: LeasePort;
  readonly namespace: string;
  /** What the names of the Leases begin with. */
  readonly prefix: string;
  /** How long a process that may not use them waits before it tries again. */
  readonly lookMilliseconds: number;
  readonly clock: Pick<ClockPort, 'schedule'>;
  readonly logger: LeaseRightsLog;
}

const verbs = ['create', 'update', 'delete'] as const;

/** Whether this process may do with Leases what an election needs. */
export class LeaseRights {
  readonly #options: LeaseRightsOptions;
  readonly #allowed = Promise.withResolvers<undefined>();
  #isAllowed = false;
  #isWatching = false;
  #cancel: (() => void) | null = null;

  constructor(options: LeaseRightsOptions) {
    this.#options = options;
  }

  /** Whether {@link watch} has found that they may be used. */
  get isAllowed(): boolean {
    return this.#isAllowed;
  }

  /** Resolves once {@link watch} has found that they may be used; pending for ever where it does not. */
  get whenAllowed(): Promise<undefined> {
    return this.#allowed.promise;
  }

  /**
   * Does what an election does, the writes as dry runs.
   *
   * @throws LeaseRightsChanged naming the verb that is refused, or the namespace that is not there; AdapterError where the
   *   API server fails
   */
  async require(): Promise<void> {
    const { leases, prefix } = this.#options;
    const name = `${prefix}-trial`;
    const listed = await this.#attempt('list', () => leases.list());
    for (const verb of verbs) await this.#attempt(verb, () => leases.rehearse(verb, name));
    // Earlier releases made one for the trial, and left it where they were killed or refused in the middle.
    const left = listed.find((lease) => lease.name === name);
    if (left !== undefined) await leases.delete(left);
  }

  /** Tries from time to time, until they may be used. */
  watch(): void {
    this.#isWatching = true;
    const { clock, lookMilliseconds } = this.#options;
    this.#cancel = clock.schedule(lookMilliseconds, () => void this.#look());
  }

  stop(): void {
    this.#isWatching = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  async #look(): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.require();
    } catch (error) {
      logger.debug({ reason: messageOf(error) }, 'the Leases may not be used yet');
      if (this.#isWatching) this.watch();
      return;
    }
    if (!this.#isWatching) return;
    logger.info({}, 'the Leases may be used; this process starts anew to share the policies by them');
    this.#isAllowed = true;
    this.#allowed.resolve(undefined);
  }

  async #attempt<T>(verb: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      const { namespace } = this.#options;
      // What else is not found is gone by now, which the election takes for what it is.
      if (error.code === 'NotFound' && verb === 'create')
        throw new LeaseRightsChanged(`there is no namespace ${namespace} (coordination.namespace)`);
      if (error.code !== 'Forbidden') throw error;
      // What is in it may not be made anew, which is no matter of a Role.
      if (error.message.includes('being terminated'))
        throw new LeaseRightsChanged(`the namespace ${namespace} is being deleted (coordination.namespace)`);
      throw new LeaseRightsChanged(
        `it may not ${verb} leases.coordination.k8s.io in ${namespace} (coordination.namespace); plimsoll rbac prints what allows it`,
      );
    }
  }
}
