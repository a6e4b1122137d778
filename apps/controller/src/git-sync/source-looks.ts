import { type LastSync, type LookStorePort, toldErrors } from '#git-sync';
import { type FenceLookup, sourceScope } from '#ledger';
import type { Leadership } from '../coordination/shards/leadership.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';

export interface SourceLooksOptions {
  readonly store: LookStorePort;
  readonly holdings: FenceLookup;
  readonly leadership: Pick<Leadership, 'mode'>;
  readonly logger: FieldLogger;
}

/** The latest looks at sources, of whichever replica looked. One process knows its own by itself. */
export class SourceLooks {
  readonly #options: SourceLooksOptions;
  readonly #outages: OutageLog;
  #known: ReadonlyMap<string, LastSync> = new Map();

  constructor(options: SourceLooksOptions) {
    this.#options = options;
    this.#outages = new OutageLog(options.logger, {
      fails: 'a look at a source could not be stored for other replicas',
      works: 'looks at sources are stored for other replicas again',
    });
  }

  /** The latest look at a source; null: none is known, or one process does everything. */
  of(source: string): LastSync | null {
    return this.#known.get(source) ?? null;
  }

  /** Tells the others of a look. A source that an earlier leader could not look at goes on being stale since then. */
  async note(source: string, look: LastSync): Promise<void> {
    const { store, holdings, leadership } = this.#options;
    if (leadership.mode !== 'Replicas') return;
    const before = this.of(source)?.staleSince ?? look.staleSince;
    const staleSince = look.staleSince === null ? null : before;
    // All diagnostics are those of the revision, which is stored.
    const noted = {
      ...look,
      staleSince,
      outcome: { ...look.outcome, diagnostics: toldErrors(look.outcome) },
    };
    this.#known = new Map([...this.#known, [source, noted]]);
    await this.#outages.during(async () => store.store(source, noted, holdings.of(sourceScope(source))));
  }

  /** Takes over what another process has stored. @throws AdapterError */
  async follow(): Promise<void> {
    this.#known = await this.#options.store.list();
  }
}
