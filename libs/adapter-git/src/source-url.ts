import { AdapterError } from '#kernel';

/** The protocols of a source, as git names them. */
export type GitProtocol = (typeof protocols)[number];

const protocols = ['file', 'https', 'http', 'ssh'] as const;

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What git, a shell or ssh could take for more than a URL, and what would put a secret into the configuration. */
const hostile: readonly { readonly why: string; readonly holds: (url: URL, text: string) => boolean }[] = [
  {
    why: 'it is not file://, https://, http:// (loopback only) or ssh://',
    holds: ({ protocol }, text) =>
      !/^[a-z]+:\/\//.test(text) || !protocols.some((name) => protocol === `${name}:`),
  },
  { why: 'it holds a password; name a file in credentials', holds: ({ password }) => password !== '' },
  {
    why: 'it holds a user, which may be a token; name username and tokenFile in credentials',
    holds: ({ protocol, username }) => protocol.startsWith('http') && username !== '',
  },
  {
    why: 'it holds a query or a fragment, which may be a token; name a file in credentials',
    holds: (_url, text) => /[?#]/.test(text),
  },
  {
    why: 'it holds white space or control characters',
    holds: (_url, text) => /[\u0000-\u0020\u007f]/.test(text),
  },
  {
    why: 'its host or user begins with -',
    holds: ({ hostname, username }) => hostname.startsWith('-') || username.startsWith('-'),
  },
  {
    why: 'file:// names no host: file:///path/to/repository',
    holds: ({ protocol, hostname }) => protocol === 'file:' && hostname !== '',
  },
  {
    why: 'http:// is for loopback only',
    holds: ({ protocol, hostname }) => protocol === 'http:' && !loopback.has(hostname),
  },
];

/** Why a source's URL is not taken; the URL is not in it. Undefined: it is taken. */
export function sourceUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return 'it is no URL; user@host:path is written ssh://user@host/path';
  const parsed = new URL(url);
  return hostile.find(({ holds }) => holds(parsed, url))?.why;
}

/**
 * The protocol of a source's URL. Throws `AdapterError` `UrlNotAllowed` for any other form: helpers such as `ext::`,
 * scp-like paths, a user or password in an https:// URL, or plain HTTP beyond loopback.
 */
export function protocolOf(url: string): GitProtocol {
  const problem = sourceUrlProblem(url);
  const protocol = protocols.find((name) => url.startsWith(`${name}://`));
  if (problem === undefined && protocol !== undefined) return protocol;
  throw new AdapterError({
    code: 'UrlNotAllowed',
    message: `the source's url is not taken: ${problem ?? 'its protocol is unknown'}`,
    retryable: false,
  });
}
