export { type FakeChanges, type FakeCommitOptions, FakeGit, type FakeRemote } from '../ports/git.fake.ts';
export { FakePullRequestStore } from '../ports/pull-request-store.fake.ts';
export { FakeRevisionStore } from '../ports/revision-store.fake.ts';
export { FakeSyncJournal, type SyncJournalFault } from '../ports/sync-journal.fake.ts';
export { MemoryBench } from './memory-bench.ts';
export { policyYaml } from './policy-yaml.ts';
export { replicasNow } from './replicas-now.ts';
