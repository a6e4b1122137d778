import { AdapterError, canonicalJson, type JsonObject, shortHash } from '#kernel';
import type { HoldCause } from '#repository';
import type { Approvals, Pin } from '../holds/approvals.ts';
import { lastFollowed } from '../holds/followed-revision.ts';
import type { Ancestry, GitRepositoryPort, SignatureStatus } from '../ports/git.port.ts';
import type { SourceState } from '../ports/revision-store.port.ts';
import type { VerifyOptions } from '../setup/source-configuration.ts';

/** What a commit is looked at with before it is read. */
export interface SourceCausesInput {
  readonly repository: GitRepositoryPort;
  readonly state: SourceState;
  readonly approvals: Approvals;
  readonly commit: string;
  readonly verify: VerifyOptions | undefined;
  /** Where the commit comes from. */
  readonly url: string;
}

/** What the check of one commit's signature found. */
export interface CommitSignature {
  readonly commit: string;
  readonly signature: SignatureStatus;
  /** Whether an approver accepted the commit although its signature does not hold. */
  readonly isAccepted: boolean;
}

/** Why a commit holds its whole source, and what was seen on the way. */
export interface SourceFindings {
  readonly causes: readonly HoldCause[];
  /** Of the commits that were checked: none where nothing is verified. */
  readonly signatures: readonly CommitSignature[];
}

/** More commits than this since the verified one are not checked one by one: it holds instead. */
const maximumVerifiedCommits = 1_000;

/** Why a commit holds its whole source, whatever is in it. */
export async function loadSourceCauses(input: SourceCausesInput): Promise<SourceFindings> {
  const { pin } = input.approvals;
  const signed = await loadSignatures(input);
  if (pin !== null) {
    return {
      causes: [{ code: 'RolledBack', message: pinMessage(pin, input.state), items: [pin.commit] }],
      signatures: signed.signatures,
    };
  }
  return {
    causes: [...(await ancestryCauses(input)), ...unverifiedCauses(signed)],
    signatures: signed.signatures,
  };
}

/** A rollback of which nothing is in force, as while it waits for an approval itself, keeps newer commits out as well. */
function pinMessage(pin: Pin, { commit }: SourceState): string {
  const isInForce = commit?.hash === pin.commit;
  const hash = shortHash(pin.commit);
  const what = isInForce ? `rolled back to ${hash}` : `the rollback to ${hash}, not in force,`;
  return `${what} by ${pin.by}: ${pin.reason}`;
}

/** A force-push, another URL, an unrelated ref, or an ancestry that cannot be established. */
async function ancestryCauses({
  repository,
  state,
  approvals,
  commit,
  url,
}: SourceCausesInput): Promise<readonly HoldCause[]> {
  const active = lastFollowed(state, approvals).commit?.hash;
  if (active === undefined) return [];
  const before = state.configuration['url'];
  const isMoved = typeof before === 'string' && before !== url;
  if (active === commit && !isMoved) return [];
  const ancestry = active === commit ? 'Descendant' : await repository.loadAncestry(active, commit);
  if (ancestry === 'Descendant' && !isMoved) return [];
  const message = ancestryMessage({ commit, active, ancestry, isInForce: state.commit?.hash === active });
  return [{ code: 'NotDescendant', message, items: [active, commit] }];
}

function ancestryMessage({ commit, active, ancestry, isInForce }: Unrelated): string {
  const what = {
    Unknown: 'cannot be shown to descend',
    Absent: 'does not descend',
    NotDescendant: 'does not descend',
    Descendant: 'comes from another url than what was in force, and descends',
  };
  const more = ancestry === 'Unknown' || ancestry === 'Absent' ? explanations[ancestry] : '';
  return `${shortHash(commit)} ${what[ancestry]} from ${shortHash(active)}, which ${isInForce ? 'is' : 'was last'} in force${more}`;
}

const explanations = {
  Unknown: '; a remote that is a shallow clone needs git fetch --unshallow',
  Absent: ' and is not in the history of the remote any more',
};

interface Unrelated {
  readonly commit: string;
  readonly active: string;
  readonly ancestry: Ancestry;
  readonly isInForce: boolean;
}

/** Of so many unverified commits beside the newest the sentence says why; all are among the cause's items. */
const toldUnverified = 4;

interface Signed {
  readonly signatures: readonly CommitSignature[];
  /** A commit before which not every one can be checked. */
  readonly unlistedBefore?: string;
}

async function loadSignatures(input: SourceCausesInput): Promise<Signed> {
  const { repository, approvals, verify, commit } = input;
  if (verify === undefined) return { signatures: [] };
  const hashes = await commitsToVerify(input, verify);
  const signatures: CommitSignature[] = [];
  for (const hash of hashes ?? [commit]) {
    signatures.push({
      commit: hash,
      signature: await repository.loadSignature(hash, verify.trusted),
      isAccepted: approvals.acceptedCommits.includes(hash),
    });
  }
  return { signatures, ...(hashes === undefined ? { unlistedBefore: commit } : {}) };
}

function unverifiedCauses({ signatures, unlistedBefore }: Signed): readonly HoldCause[] {
  if (unlistedBefore !== undefined) {
    if (signatures.some(({ isAccepted }) => isAccepted)) return [];
    const message = `not every commit before ${shortHash(unlistedBefore)} can be checked: the last verified one is not there, or more than ${maximumVerifiedCommits} ago`;
    return [{ code: 'Unverified', message, items: [unlistedBefore] }];
  }
  const open = signatures.filter(
    ({ signature, isAccepted }) => !isAccepted && signature.status !== 'Verified',
  );
  const [first, ...others] = open;
  if (first === undefined) return [];
  const message = `${shortHash(first.commit)} is not verified: ${reasonOf(first.signature)}${othersText(others)}`;
  return [{ code: 'Unverified', message, items: open.map(({ commit }) => commit) }];
}

function othersText(others: readonly CommitSignature[]): string {
  if (others.length === 0) return '';
  const told = others
    .slice(0, toldUnverified)
    .map(({ commit, signature }) => `${shortHash(commit)}: ${reasonOf(signature)}`);
  const rest = others.length > toldUnverified ? '; …' : '';
  return `; and ${others.length} more (${told.join('; ')}${rest})`;
}

function reasonOf(signature: SignatureStatus): string {
  return 'reason' in signature ? signature.reason : 'unsigned';
}

/**
 * HEAD alone at the first activation; after a force-push, from the merge base. Undefined where they cannot be listed: too
 * many, or a repository that has no last verified commit.
 */
async function commitsToVerify(
  { repository, approvals, commit }: SourceCausesInput,
  verify: VerifyOptions,
): Promise<readonly string[] | undefined> {
  if (verify.line === 'Head' || approvals.verified === null) return [commit];
  if (!(await repository.hasCommit(approvals.verified))) return undefined;
  const range = { since: approvals.verified, head: commit, line: verify.line };
  try {
    const hashes = await repository.loadRange(range, maximumVerifiedCommits);
    return hashes.length === 0 ? [commit] : hashes;
  } catch (error) {
    if (error instanceof AdapterError && error.code === 'TooManyCommits') return undefined;
    throw error;
  }
}

/** A configuration other than the one in force, by which policies leave. */
export function configurationCauses(
  state: SourceState,
  configuration: JsonObject,
  leaving: readonly string[],
): readonly HoldCause[] {
  const isFirst = state.commit === null;
  if (isFirst || leaving.length === 0 || canonicalJson(state.configuration) === canonicalJson(configuration))
    return [];
  return [
    {
      code: 'SourceChanged',
      message: `${leaving.length} policies would leave by the changed configuration of the source`,
      items: leaving.toSorted(),
    },
  ];
}
