import type { PolicyChangePayload, SyncRunPayload } from '#ledger';
import { identityKey } from '#policy';

import { type HeldDocument, restoreDocument } from './active-policy-set.ts';
import { type Brakes, brakesRecord } from './brakes.ts';
import type {
  RevisionChange,
  RevisionRecord,
  SourceState,
  StoredDocument,
} from './ports/revision-store.port.ts';

/** What a rollback is planned with. */
export interface RollbackInput {
  readonly state: SourceState;
  readonly brakes: Brakes;
  /** The revision to go back to. */
  readonly revision: RevisionRecord;
  readonly request: { readonly by: string; readonly reason: string };
  /** What was in force with it. */
  readonly documents: readonly StoredDocument[];
  readonly inForce: readonly HeldDocument[];
  /** RFC 3339. */
  readonly time: string;
}

/** What a rollback does. */
export interface RollbackPlan {
  readonly change: RevisionChange;
  readonly documents: readonly HeldDocument[];
  readonly run: SyncRunPayload;
  readonly changes: readonly PolicyChangePayload[];
}

/** Works out what a rollback puts in force, ends and records. Pure; it needs no Git. */
export function planRollback(input: RollbackInput): RollbackPlan {
  const { state, revision, request, time } = input;
  const before = new Map(input.inForce.map((held) => [identityKey(held.source), held]));
  const documents = input.documents.map((stored) => {
    const now = before.get(identityKey(stored));
    return now !== undefined && isSame(now.stored, stored)
      ? now
      : restoreDocument({ ...stored, validFrom: time });
  });
  const after = new Set(documents.map(({ source }) => identityKey(source)));
  const ended = input.inForce.filter(({ source }) => !after.has(identityKey(source)));
  const put = documents.filter((held) => before.get(identityKey(held.source)) !== held);
  const message = `rolled back to ${revision.commit.hash} by ${request.by}: ${request.reason}`;
  const pin = { commit: revision.commit.hash, ...request, time };
  const tenants = Object.keys(state.tenants).map((tenant) => [tenant, revision.commit.hash]);
  return {
    documents,
    run: { source: state.source, outcome: 'active', message, commit: revision.commit, diagnostics: [] },
    changes: [...put, ...ended]
      .filter(({ policy }) => policy !== undefined)
      .map((held) => ({
        policy: { namespace: held.stored.namespace, name: held.stored.name },
        source: state.source,
        before: before.get(identityKey(held.source))?.document ?? null,
        after: ended.includes(held) ? null : (held.document ?? null),
        commit: revision.commit,
      })),
    change: {
      state: {
        ...state,
        commit: revision.commit,
        tenants: Object.fromEntries(tenants) as Record<string, string>,
        judged: null,
        brakes: brakesRecord({ ...input.brakes, pin }),
      },
      revision: { ...revision, message, fetchedAt: time, finishedAt: time },
      put: put.map(({ stored }) => stored),
      end: ended.map(({ stored }) => stored),
      time,
    },
  };
}

function isSame(one: StoredDocument, other: StoredDocument): boolean {
  return JSON.stringify({ ...one, validFrom: '' }) === JSON.stringify({ ...other, validFrom: '' });
}
