import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RevisionRecord, SourceState, StoredDocument } from '#git-sync';
import { FakeRevisionStore } from '#git-sync/testing';
import { type EntryDraft, entryId, LedgerWriter, type PolicyState, policyStream, syncStream } from '#ledger';
import { InMemoryLedger, takeFence } from '#ledger/testing';
import {
  aCommit,
  aDecision,
  aDecisionDraft,
  appended,
  aState,
  checkout,
} from '../../../../../test/support/ledger-builders.ts';
import type { Principal } from '../../auth/callers/principal.ts';
import { SourceAccess } from '../sources/source-access.ts';
import { AuditTimeline } from './audit-timeline.ts';
import { BatchedLedger } from './batched-ledger.ts';
import { BlameQueries } from './blame.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 24, 10, minute)).toISOString();
const auditor: Principal = { name: 'auditor', grants: [{ role: 'viewer', namespaces: ['*'] }] };
const source = 'policies';

const state: SourceState = {
  source,
  configuration: {},
  commit: aCommit,
  tenants: {},
  judged: null,
  brakes: {},
};

const versionFrom = (minute: number): StoredDocument => ({
  role: 'Policy',
  tenant: '',
  kind: 'AutoscalingPolicy',
  ...checkout,
  file: 'checkout.yaml',
  line: 1,
  column: 1,
  blob: 'b1',
  isListed: false,
  value: {},
  document: {},
  commit: aCommit,
  validFrom: at(minute),
});

const rollback = { action: 'RollBackSource', by: 'olga', reason: 'it flaps', time: at(1), digest: null };

const revisionAt = (minute: number, outcome: string): RevisionRecord => ({
  source,
  commit: aCommit,
  outcome,
  message: `${outcome} at ${at(minute)}`,
  fetchedAt: at(minute),
  finishedAt: at(minute),
  details: { allowedBy: [{ ...rollback, tenants: null, policy: null }] },
});

describe('what stands behind a decision', () => {
  let store: FakeRevisionStore;
  let record: (...drafts: readonly EntryDraft[]) => Promise<readonly string[]>;
  let save: (state: PolicyState) => Promise<unknown>;
  let blame: BlameQueries;
  beforeEach(async () => {
    const ledger = new InMemoryLedger();
    const writer = new LedgerWriter({ port: ledger, fence: await takeFence(ledger.fences), cluster: 'test' });
    record = async (...drafts) => appended(await writer.append({ drafts })).map(entryId);
    save = (saved) => writer.append({ drafts: [], states: [saved] });
    store = new FakeRevisionStore();
    const batched = new BatchedLedger(ledger);
    blame = new BlameQueries({
      ledger: batched,
      timeline: new AuditTimeline(batched, { namesOf: () => Promise.resolve([]) }),
      sources: {
        versionsAt: (queries) => store.loadVersionsAt(queries),
        findRevisions: (queries) => store.loadRevisions(queries),
      },
      access: new SourceAccess({
        sources: { listSources: () => [] },
        activePolicies: { listActivePolicies: () => [] },
      }),
      pullRequests: { find: () => Promise.resolve(null) },
      interventions: { find: () => Promise.resolve([]) },
    });
  });

  /** A sync by which the commit comes into force, for the policy as well. */
  const activate = async (minute: number, outcome = 'active'): Promise<readonly string[]> => {
    const [put, time] = [[versionFrom(minute)], at(minute)];
    await store.save({ state, revision: revisionAt(minute, outcome), put, end: [], time });
    const run = { source, outcome, message: '', commit: aCommit, diagnostics: [] };
    const change = { policy: checkout, source, before: null, after: {}, departure: null, commit: aCommit };
    return record(
      { stream: syncStream, kind: 'SyncRun', time, payload: run },
      { stream: policyStream(checkout), kind: 'PolicyChange', time, payload: change },
    );
  };

  it.each(['active', 'partial'])(
    'is the sync by which its version came into force (%s), and none that brought the same commit again later',
    async (outcome) => {
      const [sync, change] = await activate(1, outcome);
      const [early] = await record(aDecisionDraft({ time: at(2) }));
      const [again, changedAgain] = await activate(3);
      const [late] = await record(aDecisionDraft({ time: at(4) }));
      // It left the policy as it was.
      await store.save({ state, revision: revisionAt(5, 'active'), put: [], end: [], time: at(5) });
      const resumed = { source, outcome: 'active', message: '', commit: aCommit, diagnostics: [] };
      await record({ stream: syncStream, kind: 'SyncRun', time: at(5), payload: resumed });
      const [latest] = await record(aDecisionDraft({ time: at(6) }));

      const found = await Promise.all([early, late, latest].map((id) => blame.blame(auditor, id ?? '')));
      expect(
        found.map((each) => [
          each?.sync && entryId(each.sync),
          each?.change && entryId(each.change),
          each?.revision?.message,
        ]),
      ).toEqual([
        [sync, change, `${outcome} at ${at(1)}`],
        [again, changedAgain, `active at ${at(3)}`],
        [again, changedAgain, `active at ${at(3)}`],
      ]);
    },
  );

  it('says of a version who let it into force, to who may see all of its source', async () => {
    await activate(1);
    const [version] = await store.loadVersionsAt([{ ...checkout, time: at(2) }]);
    const versionThen = version as NonNullable<typeof version>;
    expect(await blame.allowedBy(auditor, versionThen)).toEqual([rollback]);
    expect(await blame.allowedBy({ name: 'nobody', grants: [] }, versionThen)).toBeNull();
    expect(await blame.allowedBy(auditor, { ...versionThen, validFrom: at(9) })).toBeNull();
  });

  it.each([
    { name: 'as its state says', hasState: true },
    { name: 'of a policy that has left, as its stream says', hasState: false },
  ])(
    'begins with the decision that was recorded last though a clock was ahead before, $name',
    async ({ hasState }) => {
      await record(aDecisionDraft({ time: at(2) }), aDecisionDraft({ time: at(59) }));
      const [latest] = await record(aDecisionDraft({ time: at(3) }));
      const lastDecision = { entry: latest ?? null, decision: aDecision() };
      if (hasState) await save(aState(checkout, { lastDecision }));
      const found = await blame.blameOfLatest(auditor, checkout);
      expect(found && entryId(found.decision)).toBe(latest);
      expect(await blame.blameOfLatest({ name: 'nobody', grants: [] }, checkout)).toBeNull();
    },
  );
});
