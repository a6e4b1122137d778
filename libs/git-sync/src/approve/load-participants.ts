import type { CommitInfo, GitRepositoryPort, TrustedSigners } from '../ports/git.port.ts';
import type { Participants } from './may-approve.ts';

/** More commits than a person can vouch for in one approval. */
const maximumCommits = 10_000;

/** So many of the newest commits count where the active one is not in the repository: another URL was configured. */
const maximumForeignCommits = 500;

/** What is to be approved, and where it is. */
export interface ParticipantsQuery {
  readonly repository: GitRepositoryPort;
  /** The active commits; none: nothing is active yet, and the wanted commit stands alone. */
  readonly since: readonly string[];
  readonly head: string;
  /** Whose signatures are known; absent: signers are not looked for. */
  readonly trusted?: TrustedSigners | undefined;
}

/**
 * Everybody who took part in what is to be approved: authors, committers and signers of every commit since the active
 * ones. Throws `AdapterError`; more than 10,000 commits are an error, since nobody is then known not to have taken part.
 */
export async function loadParticipants(query: ParticipantsQuery): Promise<Participants> {
  const { repository, trusted } = query;
  const commits: CommitInfo[] = [];
  const signers: string[] = [];
  for (const hash of await commitsOf(query)) {
    commits.push(await repository.loadCommit(hash));
    if (trusted === undefined) continue;
    const signature = await repository.loadSignature(hash, trusted);
    if (signature.status === 'Verified') signers.push(signature.signer);
  }
  return { commits, signers };
}

async function commitsOf({ repository, since, head }: ParticipantsQuery): Promise<ReadonlySet<string>> {
  const found = new Set<string>(since.length === 0 ? [head] : []);
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
    if (found.size >= maximumForeignCommits) break;
  }
  return found;
}
