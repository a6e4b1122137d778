import type { Hold } from '#git-sync';
import {
  type EntryOf,
  type LedgerEntry,
  type LiveKind,
  namespaceOfEntry,
  type PolicyKey,
  policyStream,
} from '#ledger';
import type { Principal } from '../../auth/callers/principal.ts';
import type { LedgerFeed } from '../../ledger/ledger-feed.ts';
import { checkedName, checkedPolicy } from '../requests/check-query.ts';
import { QueryError } from '../requests/query-error.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import { maySee } from './audit-timeline.ts';
import { EventQueue } from './event-queue.ts';

/** Holds are looked at so often while anyone listens for them. */
const holdMilliseconds = 500;

const maximumNamespaces = 100;

/** Who hears of events. */
export interface Subscriber {
  /** As it is at each event: its grants may change meanwhile. */
  readonly caller: () => Principal;
  /** Events were left out, since they were not read in time. */
  readonly onOverflow: () => void;
}

/** Which events; what is left out does not narrow. */
export interface EventFilter {
  readonly namespaces?: readonly string[] | undefined;
  readonly policy?: PolicyKey | undefined;
  /** Of syncs. */
  readonly source?: string | undefined;
}

/** A hold, and the source whose commit it is about. */
export interface SourceHold {
  readonly source: string;
  readonly hold: Hold;
}

/**
 * What happens, as it is recorded by any process. A subscriber hears of what its caller may view; of the rest it hears
 * nothing.
 */
export class LiveEvents {
  readonly #feed: LedgerFeed;
  readonly #access: Pick<SourceAccess, 'list'>;
  readonly #holdLooks = new Set<() => void>();
  #holdTimer: NodeJS.Timeout | undefined;

  constructor(ports: { readonly feed: LedgerFeed; readonly access: Pick<SourceAccess, 'list'> }) {
    this.#feed = ports.feed;
    this.#access = ports.access;
  }

  /** Entries of a kind from now on, in the order of their appends. @throws QueryError */
  watchEntries<K extends LiveKind>(
    { caller, onOverflow }: Subscriber,
    kind: K,
    filter: EventFilter,
  ): EventQueue<EntryOf<K>> {
    const isWanted = wantedBy(filter);
    const queue = new EventQueue<EntryOf<K>>({ onOverflow, onEnd: () => unsubscribe() });
    const unsubscribe = this.#feed.subscribe({
      kind,
      onEntry: (entry, characters) => {
        // The feed passes on entries of the kind that was asked for.
        if (isWanted(entry) && maySee(caller(), entry)) queue.push(entry as EntryOf<K>, characters);
      },
      onLost: () => {
        queue.end();
        onOverflow();
      },
    });
    return queue;
  }

  /** What is held now, and then each hold that begins or is rejected, within a second. */
  watchHolds({ caller, onOverflow }: Subscriber, source: string | undefined): EventQueue<SourceHold> {
    let known: ReadonlySet<string> = new Set();
    const look = (): void => {
      const held = this.#access
        .list(caller())
        .filter(({ name }) => source === undefined || name === source)
        .flatMap(({ name, holds }) => holds.map((hold): SourceHold => ({ source: name, hold })));
      const before = known;
      known = new Set(held.map(keyOf));
      for (const each of held) if (!before.has(keyOf(each))) queue.push(each);
    };
    const queue = new EventQueue<SourceHold>({ onOverflow, onEnd: () => this.#endLooks(look) });
    this.#holdLooks.add(look);
    this.#holdTimer ??= setInterval(() => this.#lookAtHolds(), holdMilliseconds).unref();
    look();
    return queue;
  }

  #lookAtHolds(): void {
    for (const look of this.#holdLooks) look();
  }

  #endLooks(look: () => void): void {
    this.#holdLooks.delete(look);
    if (this.#holdLooks.size > 0) return;
    clearInterval(this.#holdTimer);
    this.#holdTimer = undefined;
  }
}

function keyOf({ source, hold }: SourceHold): string {
  return `${source} ${hold.digest} ${hold.isRejected}`;
}

/** @throws QueryError */
function wantedBy({ namespaces, policy, source }: EventFilter): (entry: LedgerEntry) => boolean {
  if (namespaces !== undefined && namespaces.length > maximumNamespaces) {
    throw new QueryError(
      'BadArgument',
      `namespaces has ${namespaces.length} names, at most ${maximumNamespaces}`,
    );
  }
  const names = namespaces && new Set(namespaces.map((name) => checkedName('namespaces', name)));
  const key = policy && checkedPolicy(policy);
  return (entry) =>
    (names === undefined || names.has(namespaceOfEntry(entry) ?? '')) &&
    (key === undefined || isAbout(entry, key)) &&
    (source === undefined || (entry.kind === 'SyncRun' && entry.payload.source === source));
}

function isAbout(entry: LedgerEntry, policy: PolicyKey): boolean {
  if (entry.kind === 'OperatorAction')
    return entry.payload.arguments['policy'] === `${policy.namespace}/${policy.name}`;
  return entry.stream === policyStream(policy);
}
