import type { HoldScope } from '#repository';
import { type Approvals, type Hold, type Release, type Requester, requesterOf } from '../holds/approvals.ts';
import { lastFollowed } from '../holds/followed-revision.ts';
import type { CommitInfo, GitRepositoryPort, TrustedSigners } from '../ports/git.port.ts';
import type { SourceState } from '../ports/revision-store.port.ts';
import type { Participants } from './may-approve.ts';

/** More commits than a person can vouch for in one approval. */
const maximumCommits = 10_000;

/**
 * So many of the newest commits count where nothing was in force, or the active commit is not in the repository (another
 * URL was configured).
 */
const maximumBaselessCommits = 500;

/** What is to be approved, and where its commits are. */
export interface ParticipantsQuery {
  readonly hold: Hold;
  readonly state: SourceState;
  readonly approvals: Approvals;
  /** Opened only where a commit brings what is held. */
  readonly repository: () => Promise<GitRepositoryPort>;
  /** Whose signatures are known; absent: signers are not looked for. */
  readonly trusted: TrustedSigners | undefined;
  readonly hasForge: boolean;
}

/**
 * Everyone who took part in what is held: authors, committers and signers of every commit since the last one in force by
 * following the ref, and where there was none, of the newest 500. A rollback, and a resume that brings no commit, need no second person but for a bound that takes
 * replicas away: of such a hold the one who asked takes part.
 *
 * @throws AdapterError, also for more than 10,000 commits: it cannot be known who did not take part.
 */
export async function loadParticipants(query: ParticipantsQuery): Promise<Participants> {
  const { hold, approvals } = query;
  const isOfRollback = approvals.rollbackHolds.some(({ digest }) => digest === hold.digest);
  const brought = isOfRollback ? { commits: [], signers: [] } : await loadCommitters(query);
  const isScaleIn = hold.causes.some(({ code }) => code === 'ScaleInByBound');
  const requesters = brought.commits.length === 0 && isScaleIn ? requestersOf(query) : [];
  const areSignersKnown = query.trusted !== undefined;
  const areAuthorsKnown = areSignersKnown || query.hasForge;
  const unverifiedCommits = hold.causes.flatMap(({ code, items }) => (code === 'Unverified' ? items : []));
  const rejectedBy = approvals.rejections.filter(({ digest }) => digest === hold.digest).map(requesterOf);
  return { ...brought, areAuthorsKnown, areSignersKnown, unverifiedCommits, requesters, rejectedBy };
}

async function loadCommitters(query: ParticipantsQuery): Promise<Pick<Participants, 'commits' | 'signers'>> {
  const { hold, trusted } = query;
  const repository = await query.repository();
  const commits: CommitInfo[] = [];
  const signers: string[] = [];
  for (const hash of await commitsSince(repository, hold.commit, basesOf(query))) {
    commits.push(await repository.loadCommit(hash));
    if (trusted === undefined) continue;
    const signature = await repository.loadSignature(hash, trusted);
    if (signature.status === 'Verified') signers.push(signature.signer, ...(signature.otherNames ?? []));
  }
  return { commits, signers };
}

/** Commits after which everything counts. */
function basesOf({ hold: { scope }, state, approvals }: ParticipantsQuery): readonly string[] {
  const { commit, tenants } = lastFollowed(state, approvals);
  const returning = returningTo(scope, approvals).flatMap(({ since }) => since ?? [noCommit]);
  // Commits that put other tenants in force brought what is held of a tenant that never was.
  if (scope.kind === 'Tenant') return [tenants[scope.tenant] ?? noCommit, ...returning];
  return [commit?.hash ?? noCommit, ...Object.values(tenants), ...returning];
}

/** Policies whose release was taken back, as far as the hold may be about them. */
function returningTo(scope: HoldScope, { returning }: Approvals): readonly Release[] {
  return returning.filter(
    ({ tenant }) => scope.kind === 'Source' || tenant === undefined || tenant === scope.tenant,
  );
}

function requestersOf({ hold: { scope }, approvals }: ParticipantsQuery): readonly Requester[] {
  const { pin, followed } = approvals;
  return [pin, followed?.resumedBy ?? null, ...returningTo(scope, approvals)]
    .filter((requester) => requester !== null)
    .map(requesterOf);
}

/** No repository has it, so the newest commits count. */
const noCommit = '0'.repeat(40);

async function commitsSince(
  repository: GitRepositoryPort,
  head: string,
  since: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const active of new Set(since)) {
    const commits = (await repository.hasCommit(active))
      ? await repository.loadRange({ since: active, head, line: 'Every' }, maximumCommits)
      : await newestCommits(repository, head);
    for (const hash of commits) found.add(hash);
  }
  return found;
}

/** By their parents, nearest first. */
async function newestCommits(repository: GitRepositoryPort, head: string): Promise<ReadonlySet<string>> {
  const found = new Set([head]);
  for (const hash of found) {
    for (const parent of (await repository.loadCommit(hash)).parents) found.add(parent);
    if (found.size >= maximumBaselessCommits) break;
  }
  return found;
}
