import type { CommitInfo } from '../ports/git.port.ts';

/** Who wants to approve, as authentication knows them. */
export interface Approver {
  readonly name: string;
  /** From OIDC; absent: unknown. */
  readonly email?: string;
  readonly forgeLogin?: string;
}

/** Who took part in what is to be approved. */
export interface Participants {
  /** Every commit since the active one. */
  readonly commits: readonly CommitInfo[];
  /** Signers' principals and addresses. */
  readonly signers: readonly string[];
  /** The pull request's author, where the forge was asked. */
  readonly pullRequestAuthor?: string;
}

/** Whether somebody may approve, and if not, why. */
export type ApprovalRight =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false;
      readonly code: 'SelfApproval' | 'IdentityUnknown';
      readonly message: string;
    };

/**
 * The approver is not an author, committer or signer of any commit since the active one, nor the pull request's author.
 * Unknown is not different: without an address nobody can tell, and that approves only where it is configured.
 */
export function mayApprove(
  approver: Approver,
  participants: Participants,
  unknownIdentity: 'Refused' | 'Allowed' = 'Refused',
): ApprovalRight {
  const own = [approver.email, approver.forgeLogin].filter((name) => name !== undefined).map(normal);
  const involved = namesOf(participants);
  const same = own.find((name) => involved.has(name));
  if (same !== undefined) {
    return {
      isAllowed: false,
      code: 'SelfApproval',
      message: `${same} is an author, committer or signer of what is to be approved`,
    };
  }
  if (approver.email === undefined && unknownIdentity === 'Refused') {
    return {
      isAllowed: false,
      code: 'IdentityUnknown',
      message: `${approver.name} has no address that could be compared with those of the commits`,
    };
  }
  return { isAllowed: true };
}

function namesOf({ commits, signers, pullRequestAuthor }: Participants): ReadonlySet<string> {
  const people = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
  const requester = pullRequestAuthor === undefined ? [] : [pullRequestAuthor];
  return new Set([...people, ...signers.flatMap(addressesIn), ...requester].map(normal));
}

/** `Ada <ada@example.com>` is known by its whole and by its address. */
function addressesIn(signer: string): readonly string[] {
  const address = /<([^>]+)>/.exec(signer)?.[1];
  return address === undefined ? [signer] : [signer, address];
}

function normal(name: string): string {
  return name.trim().toLowerCase();
}
