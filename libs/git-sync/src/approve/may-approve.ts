import type { Requester } from '../holds/approvals.ts';
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
  /** Every commit since the last one in force by following the ref; whom a `Co-authored-by` names is an author, too. */
  readonly commits: readonly CommitInfo[];
  /**
   * Whether anything but the commits themselves says who wrote them: signatures, or a forge. The author and committer of a
   * commit are whatever its author wrote.
   */
  readonly areAuthorsKnown: boolean;
  /** Whether signers are known by their addresses; otherwise a pull request's author is known by its login alone. */
  readonly areSignersKnown?: boolean;
  /** Commits whose signature is what is to be accepted: nothing but a pull request says who wrote them. */
  readonly unverifiedCommits?: readonly string[];
  /** The commit that is held, where the forge has not said yet who brought it, and nothing else does. */
  readonly unanswered?: {
    readonly commit: string;
    /** Why the forge does not, in words; null: it is not known, or was not asked yet. */
    readonly because: string | null;
  };
  /** Signers' principals and addresses. */
  readonly signers: readonly string[];
  /** The pull request's author, where the forge was asked. */
  readonly pullRequestAuthor?: string;
  /** The configuration no longer names the source, and so allows nobody without an address. */
  readonly isRetired?: boolean;
  /** Who asked for what no commit brings: a rollback, a resume. */
  readonly requesters?: readonly Requester[];
  /** Who rejected it: a rejection that the same person takes back at will is none. */
  readonly rejectedBy?: readonly Requester[];
}

/** Whether a person may approve, and if not, why. */
export type ApprovalRight =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false;
      readonly code: 'SelfApproval' | 'IdentityUnknown' | 'RejectedHold';
      readonly message: string;
    };

/**
 * The approver is not an author, committer or signer of any of the commits, nor the pull request's author, nor the one who
 * asked for what no commit brings, nor the one who rejected it. Unknown is not different: without an address it cannot be known, and that approves only
 * where it is configured.
 */
export function mayApprove(
  approver: Approver,
  participants: Participants,
  unknownIdentity: 'Refused' | 'Allowed' = 'Refused',
): ApprovalRight {
  return (
    asParticipant(approver, participants) ??
    (unknownIdentity === 'Refused' ? asUnknown(approver, participants) : undefined) ?? { isAllowed: true }
  );
}

function asParticipant(approver: Approver, participants: Participants): ApprovalRight | undefined {
  const isOneOf = (people: readonly Requester[] = []): boolean =>
    people.some((person) => isSamePerson(person, approver));
  if (isOneOf(participants.requesters)) {
    return {
      isAllowed: false,
      code: 'SelfApproval',
      message: `${approver.name} asked for what is to be approved`,
    };
  }
  if (isOneOf(participants.rejectedBy)) {
    return {
      isAllowed: false,
      code: 'RejectedHold',
      message: `${approver.name} rejected this hold; another person may approve it, or a commit replace it`,
    };
  }
  const own = [approver.email, approver.forgeLogin].filter((name) => name !== undefined).map(normal);
  const involved = namesOf(participants);
  const same = own.find((name) => involved.has(name));
  if (same === undefined) return undefined;
  return {
    isAllowed: false,
    code: 'SelfApproval',
    message: `${same} is an author, committer or signer of what is to be approved`,
  };
}

function asUnknown(approver: Approver, participants: Participants): ApprovalRight | undefined {
  const message =
    unknownApprover(approver, participants) ?? unknownSigner(participants) ?? unknownAuthor(participants);
  return message === undefined ? undefined : { isAllowed: false, code: 'IdentityUnknown', message };
}

/** A forge knows the author of a pull request by its login alone; signers are known by their addresses. */
function unknownApprover(
  { name, email, forgeLogin }: Approver,
  { pullRequestAuthor, areSignersKnown = false, isRetired = false }: Participants,
): string | undefined {
  if (email === undefined) {
    const without = isRetired
      ? 'the source has no settings any more that would do without'
      : 'unknownApprovers: Allowed of the source does without';
    return `${name} has no address that could be compared with those of the commits: email of its token in auth.tokens gives it one, and ${without}`;
  }
  if (pullRequestAuthor === undefined || areSignersKnown || forgeLogin !== undefined) return undefined;
  return `who ${name} is at the forge is not known, where ${pullRequestAuthor} is the author of the pull request: forgeLogin of its token, or auth.oidc.forgeLoginClaim, says so`;
}

function unknownSigner({ signers }: Participants): string | undefined {
  const pattern = signers.find(isPattern);
  if (pattern === undefined) return undefined;
  return `a key of ${pattern} signed what is to be approved, and that may be anybody's: name each key's address in the allowed signers`;
}

function unknownAuthor({
  commits,
  areAuthorsKnown,
  unverifiedCommits: [unverified] = [],
  unanswered,
}: Participants): string | undefined {
  if (commits.length === 0) return undefined;
  if (unanswered !== undefined) {
    const { commit, because } = unanswered;
    return `the forge has not said yet who brought ${commit}${because === null ? '' : ` (${because})`}: ask again once it has`;
  }
  const nothingElse = 'a commit can carry any name, and nothing else says who wrote';
  if (!areAuthorsKnown) return `${nothingElse} these: configure verify or forge for the source`;
  if (unverified === undefined) return undefined;
  return `${nothingElse} ${unverified}: have its author sign it, or a pull request bring it`;
}

function isSamePerson(requester: Requester, approver: Approver): boolean {
  const { by, email, forgeLogin } = requester;
  return (
    by === approver.name || isSameName(email, approver.email) || isSameName(forgeLogin, approver.forgeLogin)
  );
}

function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && normal(one) === normal(other);
}

function namesOf({ commits, signers, pullRequestAuthor }: Participants): ReadonlySet<string> {
  const people = commits.flatMap(addressesOf).flatMap(withLogin);
  const requester = pullRequestAuthor === undefined ? [] : [pullRequestAuthor];
  return new Set([...people, ...signers.flatMap(addressesIn), ...requester].map(normal));
}

/** Forges name those whose commits they squash into another's. */
const coAuthor = /^Co-authored-by:[^<\n]*<([^<>\n]+)>/gim;

function addressesOf({ author, committer, message }: CommitInfo): readonly string[] {
  const coAuthors = [...message.matchAll(coAuthor)].flatMap(([, address]) => address ?? []);
  return [author.email, committer.email, ...coAuthors];
}

/** Forges write commits of those who keep their address to themselves: `12+ada@users.noreply.github.com` is `ada`. */
const noReply = /^(?:\d+[+-])?([^@]+)@users\.noreply\./i;

function withLogin(email: string): readonly string[] {
  const login = noReply.exec(email)?.[1];
  return login === undefined ? [email] : [email, login];
}

/** `Ada <ada@example.com>` is known by its whole and by its address. */
function addressesIn(signer: string): readonly string[] {
  const address = /<([^<>]+)>/.exec(signer)?.[1];
  return address === undefined ? [signer] : [signer, address];
}

/** Of an allowed signers file: `*` is any text, `?` any character. */
function isPattern(signer: string): boolean {
  return !signer.includes('<') && /[*?]/.test(signer);
}

function normal(name: string): string {
  return name.trim().toLowerCase();
}
