import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { StoredPlace } from '#adapter-sql';
import { AdapterError } from '#kernel';
import { type ChainedEntry, chainEntries, type LedgerEntry } from '#ledger';
import { aDecisionDraft } from '../../../../test/support/ledger-builders.ts';
import { EntryTail } from './entry-tail.ts';
import { LedgerFeed } from './ledger-feed.ts';

/** A ledger whose entries take their places before they can be seen. */
class World {
  readonly entries: readonly ChainedEntry[];
  readonly feed = new LedgerFeed();
  readonly heard: string[] = [];
  /** Of entries, by their place from 1. */
  readonly seen = new Set<number>();
  readonly read: string[] = [];
  readonly log: string[] = [];
  now = 0;
  isAway = false;
  readonly tail = new EntryTail({
    feed: this.feed,
    now: () => this.now,
    logger: {
      warn: (_fields, message) => this.log.push(message),
      info: (_fields, message) => this.log.push(message),
    },
    places: {
      newest: () => Promise.resolve(0n),
      after: (position, missing) =>
        Promise.resolve(
          this.#places().filter((place) => place.position > position || missing.includes(place.position)),
        ),
    },
    ledger: {
      entriesAt: (addresses) => {
        if (this.isAway)
          return Promise.reject(new AdapterError({ code: 'Timeout', message: 'away', retryable: true }));
        const wanted = addresses.map(({ stream, seq }) => `${stream}#${seq}`);
        this.read.push(...wanted);
        return Promise.resolve(
          this.entries
            .filter(({ stream, seq }) => wanted.includes(`${stream}#${seq}`))
            .map(({ payloadText, ...entry }) => ({ ...entry, payload: JSON.parse(payloadText) as unknown }))
            .toReversed() as unknown as readonly LedgerEntry[],
        );
      },
    },
  });

  constructor(count = 6) {
    const drafts = Array.from({ length: count }, (_, index) => aDecisionDraft({ reason: `${index + 1}` }));
    const chained = chainEntries({ cluster: 'test', heads: new Map(), drafts });
    if (!chained.ok) throw new Error(chained.error.code);
    this.entries = chained.value.entries;
    this.feed.subscribe({
      kind: 'Decision',
      onEntry: (entry) => entry.kind === 'Decision' && this.heard.push(entry.payload.decision.reason),
      onLost: () => this.heard.push('lost'),
    });
    this.tail.share();
  }

  /** Commits the entries at these places, and passes on what can be seen. */
  async commit(...places: readonly number[]): Promise<readonly string[]> {
    for (const place of places) this.seen.add(place);
    await this.tail.look();
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    return this.heard;
  }

  #places(): readonly StoredPlace[] {
    return this.entries
      .map(({ stream, seq, kind }, index) => ({ position: BigInt(index + 1), stream, seq, kind }))
      .filter((_, index) => this.seen.has(index + 1));
  }
}

describe('the tail of a shared ledger', () => {
  it('passes each entry on once, in the order of the places', async () => {
    const world = new World();
    expect(await world.commit(1, 2)).toEqual(['1', '2']);
    expect(await world.commit()).toEqual(['1', '2']);
    expect(await world.commit(3)).toEqual(['1', '2', '3']);
  });

  it('passes on what is committed after later places were', async () => {
    const world = new World();
    expect(await world.commit(1, 4)).toEqual(['1', '4']);
    expect(await world.commit(3)).toEqual(['1', '4', '3']);
    expect(await world.commit(2, 5)).toEqual(['1', '4', '3', '2', '5']);
  });

  it('waits for no place for longer than a transaction may take', async () => {
    const world = new World();
    await world.commit(2);
    world.now = 60_001;
    await world.commit(3);
    expect(await world.commit(1)).toEqual(['2', '3']);
  });

  it('reads what others have stored, and not what this process has', async () => {
    const world = new World();
    world.tail.publish(world.entries.slice(1, 2));
    expect(await world.commit(1, 2, 3)).toEqual(['1', '2', '3']);
    expect(world.read).toHaveLength(2);
  });

  it('loses and repeats nothing where the database fails', async () => {
    const world = new World();
    await world.commit(1);
    world.isAway = true;
    expect(await world.commit(2, 3)).toEqual(['1']);
    expect(await world.commit()).toEqual(['1']);
    world.isAway = false;
    expect(await world.commit()).toEqual(['1', '2', '3']);
    expect(world.log).toEqual([
      'new entries of the ledger could not be read for subscribers',
      'new entries of the ledger are read again',
    ]);
  });
});
