import type { CommitInfo, GitRepositoryPort, TrustedSigners } from './ports/git.port.ts';
import type { Participants } from './may-approve.ts';

/** More commits than a person can vouch for in one approval. */
const maximumCommits = 10_000;

/** What is to be approved, and where it is. */
export interface ParticipantsQuery {
  readonly repository: GitRepositoryPort;
  /** The active commit; null: nothing is active yet, and the wanted commit stands alone. */
  readonly since: string | null;
  readonly head: string;
  /** Whose signatures are known; absent: signers are not looked for. */
  readonly trusted?: TrustedSigners | undefined;
}

/**
 * Everybody who took part in what is to be approved: authors, committers and signers of every commit since the active
 * one. Throws `AdapterError`; more than 10,000 commits are an error, since nobody is then known not to have taken part.
 */
export async function loadParticipants(query: ParticipantsQuery): Promise<Participants> {
  const { repository, since, head, trusted } = query;
  const range = since === null ? { head, line: 'Head' as const } : { since, head, line: 'Every' as const };
  const commits: CommitInfo[] = [];
  const signers: string[] = [];
  for (const hash of await repository.loadRange(range, maximumCommits)) {
    commits.push(await repository.loadCommit(hash));
    if (trusted === undefined) continue;
    const signature = await repository.loadSignature(hash, trusted);
    if (signature.status === 'Verified') signers.push(signature.signer);
  }
  return { commits, signers };
}
