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
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** The first that matches names the failure; what none matches is `GitFailed`, and is tried again. */
const complaints: readonly Complaint[] = [
  {
    pattern: /host key verification failed|no .* host key is known|remote host identification has changed/i,
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
    pattern: /couldn't find remote ref|not our ref|no such remote ref|invalid refspec/i,
    code: 'RefNotFound',
    message: 'the repository has no such ref or commit',
    retryable: true,
  },
  {
    pattern:
      /does not appear to be a git repository|repository .*not found|returned error: 404|no such file or directory/i,
    code: 'RepositoryNotFound',
    message: 'there is no such repository',
    retryable: true,
  },
  {
    pattern: /transport '[^']*' not allowed/i,
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
    pattern: /certificate|ssl/i,
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

/** Turns what git said into a named error; secrets and control characters are stripped here. */
export function gitFailure(what: string, exit: GitExit): AdapterError {
  const known = complaints.find((complaint) => complaint.pattern.test(exit.complaint));
  const said = redact(exit.complaint);
  return new AdapterError({
    code: known?.code ?? 'GitFailed',
    message: `${what}: ${known?.message ?? `git ended with status ${exit.status}`}${said === '' ? '' : ` (${said})`}`,
    retryable: known?.retryable ?? true,
  });
}
