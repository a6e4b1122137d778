import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '#reconciliation/testing';
import { mayApprove } from './approve/may-approve.ts';
import { approvalsRecord, noApprovals, withApproval } from './holds/approvals.ts';
import { ActivePolicySet } from './in-force/active-policy-set.ts';
import { FakeRevisionStore } from './ports/revision-store.fake.ts';
import type { StoredDocument } from './ports/revision-store.port.ts';
import { FakeSyncJournal } from './ports/sync-journal.fake.ts';
import { RetiredSource } from './retired-source.ts';

const commit = { hash: 'a'.repeat(40), author: 'Ada', subject: 'One', time: '2026-01-01T00:00:00Z' };
const document = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', namespace: 'shop' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 },
};
const stored: StoredDocument = {
  role: 'Policy',
  tenant: '',
  kind: 'HorizontalPodAutoscaler',
  namespace: 'shop',
  name: 'a',
  file: 'a.yaml',
  line: 1,
  column: 1,
  blob: 'b',
  isListed: false,
  value: document,
  document,
  commit,
  validFrom: '2026-01-01T00:00:00.000Z',
};

describe('a source that the configuration no longer names', () => {
  it('keeps its policies until their leaving is approved', async () => {
    const store = new FakeRevisionStore();
    const active = new ActivePolicySet();
    const journal = new FakeSyncJournal();
    const state = { source: 'old', configuration: {}, commit, tenants: {}, judged: null, brakes: {} };
    await store.save({ state, revision: null, put: [stored], end: [], time: stored.validFrom });
    const ports = { store, active, journal, clock: new FakeClock(), digest: (text: string) => text };
    const retired = new RetiredSource(state, ports);
    await retired.restore();
    expect(active.listActivePolicies()).toHaveLength(1);
    const [hold] = retired.holds();
    expect(hold?.causes).toMatchObject([{ code: 'SourceChanged', items: ['shop/a'] }]);
    expect(hold?.effect).toEqual({
      added: 0,
      changed: 0,
      removed: 1,
      policies: ['shop/a gone'],
      changes: [{ before: { namespace: 'shop', name: 'a' }, after: null, fields: [], keepsHpa: false }],
    });
    await expect(retired.approve('another', { by: 'olga', reason: 'x' })).resolves.toBeNull();
    expect(active.listActivePolicies()).toHaveLength(1);
    if (hold === undefined) throw new Error('nothing is held');
    await expect(retired.leave()).rejects.toMatchObject({
      code: 'SourceRetired',
      message: 'the configuration no longer names old: its policies leave once its hold is approved',
    });
    expect(active.listActivePolicies()).toHaveLength(1);
    await retired.reject(hold.digest, { by: 'olga', reason: 'not yet' });
    const participants = await retired.participants(hold);
    expect(participants).toMatchObject({ rejectedBy: [{ by: 'olga' }] });
    expect(mayApprove({ name: 'ann' }, participants)).toMatchObject({
      code: 'IdentityUnknown',
      message: expect.stringMatching(/email of its token .*, and the source has no settings any more/),
    });
    await expect(retired.approve(hold.digest, { by: 'olga', reason: 'moved' })).resolves.toMatchObject({
      result: 'active',
      holds: [],
    });
    expect(active.listActivePolicies()).toHaveLength(0);
    expect(retired.holds()).toEqual([]);
    await expect(store.loadInForce('old')).resolves.toEqual(new Map());
    expect(journal.changes).toMatchObject([{ policy: { name: 'a' }, after: null }]);
    const [left] = await store.listSources();
    expect(left?.brakes).toMatchObject({ approvals: [], rejections: [] });
  });

  it.each([
    { name: 'goes', annotations: {}, keepsHpa: false, departure: 'SourceRemoved' },
    { name: 'stays', annotations: { 'plimsoll.dev/prune': 'disabled' }, keepsHpa: true, departure: 'Kept' },
  ])('says of each policy whether its HPA $name, as is done then', async (row) => {
    const store = new FakeRevisionStore();
    const active = new ActivePolicySet();
    const journal = new FakeSyncJournal();
    const state = { source: 'old', configuration: {}, commit, tenants: {}, judged: null, brakes: {} };
    const value = { ...document, metadata: { ...document.metadata, annotations: row.annotations } };
    const put = [{ ...stored, value, document: value }];
    await store.save({ state, revision: null, put, end: [], time: stored.validFrom });
    const ports = { store, active, journal, clock: new FakeClock(), digest: (text: string) => text };
    const retired = new RetiredSource(state, ports);
    await retired.restore();
    const [hold] = retired.holds();
    expect(hold?.effect?.changes).toMatchObject([{ before: { name: 'a' }, keepsHpa: row.keepsHpa }]);
    await retired.approve(hold?.digest ?? '', { by: 'olga', reason: 'moved' });
    expect(journal.changes).toMatchObject([{ policy: { name: 'a' }, departure: row.departure }]);
  });

  it('stays rejected over a restart, and an approval that was stored alone is carried out by the next start', async () => {
    const store = new FakeRevisionStore();
    const [journal, clock, digest] = [new FakeSyncJournal(), new FakeClock(), (text: string) => text];
    const state = { source: 'old', configuration: {}, commit, tenants: {}, judged: null, brakes: {} };
    const started = async (): Promise<RetiredSource> => {
      const ports = { store, active: new ActivePolicySet(), journal, clock, digest };
      const retired = new RetiredSource((await store.listSources())[0] ?? state, ports);
      await retired.restore();
      return retired;
    };
    await store.save({ state, revision: null, put: [stored], end: [], time: stored.validFrom });
    const first = await started();
    const held = first.holds()[0]?.digest ?? '';
    await first.reject(held, { by: 'olga', reason: 'not yet' });
    const second = await started();
    const approval = { digest: held, by: 'ann', reason: 'moved', time: clock.now() };
    expect(second.holds()).toMatchObject([{ digest: held, isRejected: true, rejection: { by: 'olga' } }]);
    await store.save({
      state: { ...state, brakes: approvalsRecord(withApproval(noApprovals, approval)) },
      revision: null,
      put: [],
      end: [],
      time: clock.now(),
    });
    const third = await started();
    expect(third.holds()).toEqual([]);
    expect(journal.changes).toMatchObject([{ policy: { name: 'a' }, after: null, operator: { by: 'ann' } }]);
  });
});
