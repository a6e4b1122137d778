/** Where a source's commits come from. The URL carries no credentials. */
export interface GitLocation {
  /** The source's name: one bare repository on disk a name and URL. */
  readonly source: string;
  /** `file://`, `https://`, `ssh://`, and `http://` on loopback. */
  readonly url: string;
  /** A full ref (`refs/heads/main`), a short name, or a full commit hash. */
  readonly ref: string;
  readonly credentials?: GitCredentials;
}

/** Files that hold secrets: read at each fetch, so that a rotation needs no restart. */
export interface GitCredentials {
  readonly sshKeyFile?: string;
  /** Without it no host key is known, and an SSH fetch fails. */
  readonly knownHostsFile?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly githubApp?: GitHubAppCredentials;
  /** The authorities that are trusted over https://, as PEM, in place of the system's. */
  readonly caFile?: string;
  /** One line, `http://user:password@proxy:3128`, for https://. */
  readonly proxyFile?: string;
}

/** A GitHub App installation: short-lived tokens are made from its private key. */
export interface GitHubAppCredentials {
  readonly appId: string;
  readonly installationId: string;
  readonly privateKeyFile: string;
  /** `https://api.github.com`, or an Enterprise server's `https://HOST/api/v3`. */
  readonly apiUrl: string;
}

/** A person as a commit names them, unchecked. */
export interface CommitPerson {
  readonly name: string;
  readonly email: string;
  /** RFC 3339, UTC. */
  readonly time: string;
}

/** One commit. */
export interface CommitInfo {
  readonly hash: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: CommitPerson;
  readonly committer: CommitPerson;
  readonly subject: string;
  /** The whole message, cut at 64 KiB. */
  readonly message: string;
}

/** One leaf of a commit's tree: a submodule is a `commit`, a symbolic link a blob of mode 120000. */
export interface TreeEntry {
  readonly path: string;
  /** `100644`, `100755`, `120000`, `160000`. */
  readonly mode: string;
  /** A blob's id, or a submodule's commit. */
  readonly id: string;
}

/** What is known of a blob: its bytes, or that it is over the size limit. */
export type BlobContent =
  | { readonly kind: 'Bytes'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'TooLarge';
      /** Absent where it was never received whole. */
      readonly sizeBytes?: number;
    };

/** Bounds of one fetch. */
export interface FetchLimits {
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Bounds of reading blobs. */
export interface BlobLimits extends FetchLimits {
  /** A larger blob is `TooLarge`. */
  readonly blobBytes: number;
}

/**
 * Whether one commit is reached from another by parents; `Absent`: it is not there, and the history of the other is whole, as
 * in a clone that was made after a force-push; `Unknown` where that cannot be established.
 */
export type Ancestry = 'Descendant' | 'NotDescendant' | 'Absent' | 'Unknown';

/** Which commits between two are looked at. */
export interface CommitRange {
  /** Excluded, with everything reached from it; absent: the head alone. */
  readonly since?: string;
  readonly head: string;
  readonly line: 'Head' | 'FirstParent' | 'Every';
}

/** What a signature is checked against: files of the configuration, never of the repository. */
export interface TrustedSigners {
  /** An `ssh-keygen` allowed signers file. A key counts while it is valid both now and when the commit says it was made. */
  readonly sshAllowedSignersFile?: string;
  /** ASCII-armoured OpenPGP public keys. */
  readonly openPgpKeysFile?: string;
  /** Fingerprints of keys that belong to a forge, not to a person. */
  readonly forgeFingerprints?: readonly string[];
}

/** What the check of one commit's signature found. */
export type SignatureStatus =
  | {
      readonly status: 'Verified';
      /** `forge`: signed by the forge's own key, which names no person. */
      readonly by: 'person' | 'forge';
      /** The principal of the allowed signers file, which may be a pattern (`*@example.com`), or the key's user id. */
      readonly signer: string;
      /** Other principals or user ids of the same key. */
      readonly otherNames?: readonly string[];
      readonly fingerprint: string;
    }
  | { readonly status: 'Unsigned' }
  | { readonly status: 'Untrusted' | 'Invalid'; readonly reason: string };

/**
 * One source's repository: bare, on disk, commits first, trees and blobs as they are needed. Calls on one repository
 * come one after the other. Every method throws `AdapterError`: retryable where the network or a timeout failed.
 */
export interface GitRepositoryPort {
  /** Fetches the ref's commits and the wanted commit's trees; answers the commit's hash. */
  fetchHead(limits: FetchLimits): Promise<string>;
  /** Whether the commit, with its trees, can be read without the network. */
  hasCommit(hash: string): Promise<boolean>;
  loadCommit(hash: string): Promise<CommitInfo>;
  loadAncestry(ancestor: string, descendant: string): Promise<Ancestry>;
  /** Newest first, at most `limit` commits (one more than that is an error `TooManyCommits`). */
  loadRange(range: CommitRange, limit: number): Promise<readonly string[]>;
  /** All leaves in the order of git; more than `limit` is an error `TooManyFiles`. */
  loadTree(hash: string, limit: number): Promise<readonly TreeEntry[]>;
  /**
   * Fetches what is missing in one go and reads it; each id asked for is in the answer.
   *
   * @throws AdapterError `ObjectMissing` where the server lacks one; the message names its id.
   */
  loadBlobs(ids: readonly string[], limits: BlobLimits): Promise<ReadonlyMap<string, BlobContent>>;
  loadSignature(hash: string, trusted: TrustedSigners): Promise<SignatureStatus>;
  /** Keeps a commit reachable under a ref of ours, as `active` or under a name of the caller's. */
  keep(name: string, hash: string): Promise<void>;
  /** The commit kept under that name, if any. */
  loadKept(name: string): Promise<string | undefined>;
}

/** Opens repositories; the one way from a use case to Git. */
export interface GitPort {
  /** Makes the bare repository where there is none. Touches no network. */
  open(location: GitLocation): Promise<GitRepositoryPort>;
}
