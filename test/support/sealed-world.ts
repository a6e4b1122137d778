import { type LedgerDatabase, openLedgerDatabase, SqlCheckpoints } from '#adapter-sql';
import { configurationSchema } from '#configuration';
import { administrationScope, type EntryKind, type Fence, HeldFences, LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { CheckpointPublisher } from '../../apps/controller/src/checkpoints/checkpoint-publisher.ts';
import {
  Checkpointer,
  type CheckpointerOptions,
} from '../../apps/controller/src/checkpoints/checkpointer.ts';
import { createSinks } from '../../apps/controller/src/checkpoints/create-sinks.ts';
import { anEventDraft, appended, timeAfter } from './ledger-builders.ts';
import { migratedAhead } from './migrated-ahead.ts';

/** A ledger whose checkpoints a test makes one by one. */
export interface SealedWorld {
  readonly database: LedgerDatabase;
  readonly place: string;
  readonly port: SqlCheckpoints;
  readonly fence: Fence;
  readonly checkpointer: (change?: Partial<CheckpointerOptions>) => Checkpointer;
  /** Lets the time come at which the next checkpoint is made, and waits until it is. */
  readonly turn: () => Promise<void>;
  readonly notes: () => Promise<readonly string[]>;
  readonly append: (seconds: number) => Promise<void>;
  readonly warnings: readonly unknown[];
  readonly errors: readonly unknown[];
  /** Messages at info. */
  readonly said: readonly string[];
}

/** @param place the data folder */
export async function openSealedWorld({
  url,
  place,
  checkpoints,
}: {
  readonly url: string;
  readonly place: string;
  readonly checkpoints: object;
}): Promise<SealedWorld> {
  const database = await openLedgerDatabase({ url: await migratedAhead(url) });
  const fence = await takeFence(database.fences, { scope: administrationScope });
  const fences = new HeldFences([fence]);
  const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
  const port = new SqlCheckpoints(database.sql);
  const warnings: unknown[] = [];
  const errors: unknown[] = [];
  const said: string[] = [];
  const info = (_: object, message = ''): void => void said.push(message);
  const logger = {
    info,
    warn: (fields: unknown) => void warnings.push(fields),
    error: (fields: unknown) => void errors.push(fields),
  };
  let timer: (() => void) | undefined;
  let made: Checkpointer | undefined;
  let publisher: CheckpointPublisher | undefined;
  const configuration = configurationSchema.parse({
    cluster: { name: 'test' },
    mode: 'Observe',
    namespaces: ['*'],
    sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
    dataFolder: place,
    database: { url },
    checkpoints,
  });
  return {
    database,
    place,
    port,
    fence,
    warnings,
    errors,
    said,
    checkpointer: (change = {}) => {
      publisher = new CheckpointPublisher({
        sinks: createSinks(configuration, { now: () => timeAfter(0) }),
        clock: { now: () => timeAfter(0), schedule: () => () => undefined },
        logger,
      });
      return (made = new Checkpointer({
        configuration,
        port,
        ledger: database.ledger,
        writer,
        fences,
        clock: {
          now: () => timeAfter(0),
          schedule: (_, callback) => {
            timer = callback;
            return () => {
              timer = undefined;
            };
          },
        },
        publisher,
        logger,
        ...change,
      }));
    },
    turn: async () => {
      timer?.();
      await made?.whenMade;
      await publisher?.whenIdle();
    },
    notes: async () => {
      const entries = await database.ledger.entries({
        kinds: ['Checkpoint'],
        order: 'OldestFirst',
        limit: 100,
      });
      return entries.items.map(({ entry }) => (entry.kind === 'Checkpoint' ? entry.payload.note : ''));
    },
    append: async (seconds) => {
      appended(await writer.append({ drafts: [anEventDraft({}, timeAfter(seconds))] }));
    },
  };
}

/** Makes a checkpoint over a new entry, in a process of its own. */
export async function sealOnce(world: SealedWorld, seconds: number): Promise<void> {
  const checkpointer = world.checkpointer();
  await checkpointer.start();
  await world.append(seconds);
  await checkpointer.stop();
}

/** How many entries of a kind there are. */
export async function countOf({ database }: SealedWorld, kind: EntryKind): Promise<number> {
  const { items } = await database.ledger.entries({ kinds: [kind], order: 'OldestFirst', limit: 100 });
  return items.length;
}
