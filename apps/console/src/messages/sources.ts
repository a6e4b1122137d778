import { countText } from './count-text.ts';

interface HoldCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** The texts of the pages of sources and their revisions. */
export const sources = {
  title: 'Sources',
  emptyTitle: 'No source yet',
  empty:
    'A source is a Git repository with policies in it. There is none that you may see. Add one to the configuration, under "sources", with its URL and ref; the controller reads the file again when it changes.',
  unknownTitle: 'No such source',
  unknown: (name: string) => `No source is named ${name}, or you may not see it.`,
  all: 'All sources',
  intervene: 'Intervene',
  unknownRevisionTitle: 'No such revision',
  unknownRevision: (sha: string) =>
    `${sha} was never judged for this source, or you may not view every namespace that it has policies in.`,
  unknownShortened: (sha: string, count: number) =>
    `${sha} begins none of the latest ${count} revisions of this source. Older ones are found by their whole hash.`,
  health: {
    fresh: 'follows its ref',
    stale: 'stale',
    pinned: 'rolled back',
    failed: 'failed',
    rejected: 'rejected',
    held: 'held',
  },
  staleSince: 'Not reached since',
  inForce: 'In force',
  nothingInForce: 'Nothing is in force yet.',
  repository: 'Repository',
  lastLook: 'Looked at',
  lookedAt: 'looked at',
  saidAbove: (isPinned: boolean) =>
    `it waits ${isPinned ? 'until the source is resumed' : 'for an approval'}, as said above`,
  waiting: (count: number) => (count === 1 ? '1 change waits' : `${count} changes wait`),
  /** Beside those that are shown. */
  notVisible: (count: number) =>
    count === 1
      ? '1 change waits that you may not see whole'
      : `${count} changes wait that you may not see whole`,
  notVisibleWhere: 'The page of each policy says what it would do to the policy.',
  never: 'not yet',
  pin: (by: string, reason: string) => `Rolled back by ${by}: ${reason}`,
  follows: (ref: string) => `follows ${ref}`,
  actions: {
    sync: 'Sync now',
    approve: 'Approve',
    reject: 'Reject',
    rollBack: 'Roll back to this',
    resume: 'Resume the source',
    resumePolicy: 'Bring it back',
  },
  itsNamespaces: 'every namespace that the source has policies in',
  holds: (waiting: number) => (waiting === 0 ? 'Rejected' : 'Waits for an approval'),
  untilResumed: 'Waits until the source is resumed',
  hold: {
    commit: 'Commit',
    tenant: 'Tenant',
    waiting: 'Waits since',
    rejected: 'rejected',
    rejectedBy: (by: string, reason: string) => `by ${by}: ${reason}`,
    effect: ({ added, changed, removed }: HoldCounts) =>
      [
        ...(added === 0 ? [] : [`${countText(added)} new`]),
        ...(changed === 0 ? [] : [`${countText(changed)} changed`]),
        ...(removed === 0 ? [] : [`${countText(removed)} gone`]),
      ].join(', '),
    why: (isRejected: boolean) => (isRejected ? 'Why it was held' : 'Why it waits'),
    mayNot: 'You may not approve it',
    mayNeither: 'You may neither approve nor reject it',
    another: 'An approver may who took no part in it.',
    /** By why the caller may not. */
    whoMay: {
      SelfApproval: 'Another approver may: one who neither wrote, committed, signed nor asked for it.',
      IdentityUnknown: 'An approver may who is known not to have written it, once it is known who did.',
      RejectedHold: 'Another approver may.',
      DatabaseUnavailable: 'An approver may once the database is back.',
      RolledBack: 'Nobody may: resume the source.',
      Forbidden: 'An approver of all these namespaces may reject it, and approve it who took no part in it.',
    } as Readonly<Record<string, string>>,
  },
  revisions: 'Revisions',
  revisionsUnknown:
    'Its revisions are recorded in the database, which does not answer. What is in force, and what waits, is above.',
  noRevisions: 'No commit was judged yet.',
  hiddenRevisions: 'Its revisions are shown to those who may view every namespace that this source is about.',
  more: 'Show more',
  committed: 'committed',
  outcomes: {
    active: 'active',
    held: 'held',
    rejected: 'rejected',
  } as Readonly<Record<string, string>>,
  pullRequest: 'pull request',
  byForge: 'as the forge says',
  byMessage: 'from the commit message: not verified',
  approvedBy: (names: readonly string[]) => `approved by ${names.join(', ')}`,
  signed: (by: string) => `signed by ${by}`,
  unsigned: 'no signature was checked',
  badSignature: (why: string) => `signature not accepted: ${why}`,
  revision: {
    title: 'Revision',
    changes: 'What it came to',
    diagnostics: 'Diagnostics',
    noDiagnostics: 'No errors and no warnings.',
    message: 'Commit message',
    author: 'Author',
    committed: 'Committed',
    fetched: 'Fetched',
    source: 'Source',
    verdict: 'Verdict',
    signature: 'Signature',
    pullRequest: 'Pull request',
    none: 'none',
    tenants: 'Tenants',
    /** What a tenant's documents of the commit came to. */
    statuses: {
      Advances: 'in force',
      Rejected: 'rejected',
      Waiting: 'waits',
      HeldBack: 'held',
    } as Readonly<Record<string, string>>,
    tenantRoot: 'the repository’s root',
    policies: (count: number) => (count === 1 ? '1 policy' : `${count} policies`),
    waitsFor: (tenant: string) => `waits for ${tenant}`,
    back: 'All revisions',
  },
  released: 'Released policies',
  releasedHint: 'Their documents count no more; what they scaled keeps its count.',
  releasedBy: (actor: string, reason: string) => `by ${actor}: ${reason}`,
} as const;
