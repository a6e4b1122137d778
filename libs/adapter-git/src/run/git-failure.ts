import { AdapterError } from '#kernel';
import { redact } from './redact.ts';

/** A git that ended with a status other than 0; internal, becomes an {@link AdapterError} at the edge. */
export class GitExit extends Error {
  override readonly name = 'GitExit';
  readonly status: number;
  readonly complaint: string;

  constructor(status: number, complaint: string) {
    super(`git ended with status ${status}`);
    this.status = status;
    this.complaint = complaint;
  }
}

interface Complaint {
  readonly pattern: RegExp;
  /** What stands behind it on its line. */
  readonly then?: RegExp;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** The first that matches names the failure; what none matches is `GitFailed`, and is tried again. */
const complaints: readonly Complaint[] = [
  {
    pattern: /unprotected private key file|bad permissions/i,
    code: 'CredentialsInvalid',
    message: 'sshKeyFile can be read by others, so ssh does not use it: give it mode 0600',
    retryable: true,
  },
  {
    pattern: /load key /i,
    then: /invalid format|error in libcrypto|incorrect passphrase/i,
    code: 'CredentialsInvalid',
    message: 'sshKeyFile is no private key that can be read without a passphrase',
    retryable: true,
  },
  {
    pattern: /response 407|HTTP code 407|authentication required by proxy/i,
    code: 'ProxyRefused',
    message: 'the proxy wants other credentials',
    retryable: true,
  },
  {
    pattern: /host key verification failed|host key is known for|remote host identification has changed/i,
    code: 'HostKeyUnknown',
    message: 'the SSH host key is not in knownHostsFile',
    retryable: false,
  },
  {
    pattern:
      /authentication failed|could not read (username|password)|permission denied \(|invalid credentials|HTTP 40[13]|returned error: 40[13]/i,
    code: 'AuthenticationFailed',
    message: 'the server refused the credentials',
    retryable: false,
  },
  {
    pattern: /does not allow request for unadvertised object/i,
    code: 'ObjectsNotByName',
    message:
      'the server gives no objects by name; let its sshd pass GIT_PROTOCOL on (AcceptEnv), or set uploadpack.allowAnySHA1InWant',
    retryable: false,
  },
  {
    pattern: /out of memory|cannot allocate memory|unable to allocate|failed to allocate/i,
    code: 'TooMuchMemory',
    message: 'git needs more memory than it may take: an object expands to hundreds of megabytes',
    retryable: true,
  },
  {
    pattern: /fsck error|bad object|(?:object [0-9a-f]+|\)) is corrupt/i,
    code: 'ObjectInvalid',
    message: 'the server sent an object that git refuses',
    retryable: true,
  },
  {
    pattern: /couldn't find remote ref|not our ref|no such remote ref|invalid refspec/i,
    code: 'RefNotFound',
    message: 'the repository has no such ref or commit',
    retryable: true,
  },
  {
    pattern: /expected commit type/i,
    code: 'RefIsNoCommit',
    message: 'the ref names a tree or a single file; name a branch, a tag of a commit, or a commit',
    retryable: true,
  },
  {
    pattern: /mismatched algorithms|does not support this repository's hash algorithm/i,
    code: 'ObjectFormatDiffers',
    message: 'the server names objects by another hash (SHA-1, SHA-256) than before',
    retryable: false,
  },
  {
    pattern: /dubious ownership/i,
    code: 'OwnedByAnother',
    message: "the repository's folder belongs to another user than the one that Plimsoll runs as",
    retryable: true,
  },
  {
    pattern: /returned error: 429/i,
    code: 'RateLimited',
    message: 'the server limits requests',
    retryable: true,
  },
  {
    pattern: /does not appear to be a git repository|returned error: 404|no such file or directory/i,
    code: 'RepositoryNotFound',
    message: 'there is no such repository',
    retryable: true,
  },
  {
    pattern: /repository /i,
    then: /not found/i,
    code: 'RepositoryNotFound',
    message: 'there is no such repository',
    retryable: true,
  },
  {
    pattern: /transport '[^']*' not allowed/,
    code: 'ProtocolNotAllowed',
    message: 'the protocol is not allowed',
    retryable: false,
  },
  {
    pattern: /unable to update url base from redirection|redirect|returned error: 30/i,
    code: 'Redirected',
    message: 'the server redirects elsewhere; name the final URL',
    retryable: false,
  },
  {
    pattern: /certificate|ssl|gnutls|tls connect/i,
    code: 'TlsFailed',
    message: 'the TLS connection could not be trusted',
    retryable: true,
  },
  {
    pattern: /no space left on device/i,
    code: 'DiskFull',
    message: 'the disk is full',
    retryable: true,
  },
  {
    pattern:
      /could not resolve|couldn't resolve|connection (refused|timed out|reset)|failed to connect|could not connect|network is unreachable|early EOF|hung up|returned error: 5/i,
    code: 'Unreachable',
    message: 'the Git server cannot be reached',
    retryable: true,
  },
];

/** Whether an error is an adapter's of that code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof AdapterError && error.code === code;
}

/** Turns git's complaint into a named error; secrets and control characters are stripped here. */
export function gitFailure(what: string, exit: GitExit): AdapterError {
  // An address may hold any word.
  const words = exit.complaint.replace(/'[a-z]+:\/\/[^']*'/g, '');
  const known = complaints.find((complaint) => isIn(words, complaint));
  // It is shown on one line: its own lines are told apart.
  const complaint = redact(exit.complaint)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ');
  return new AdapterError({
    code: known?.code ?? 'GitFailed',
    message: `${what}: ${known?.message ?? `git ended with status ${exit.status}`}${complaint === '' ? '' : ` (${complaint})`}`,
    retryable: known?.retryable ?? true,
  });
}

/** Two patterns take linear time where one with an unbounded middle would not. */
function isIn(words: string, { pattern, then }: Complaint): boolean {
  if (then === undefined) return pattern.test(words);
  return words.split('\n').some((line) => {
    const found = pattern.exec(line);
    return found !== null && then.test(line.slice(found.index + found[0].length));
  });
}
