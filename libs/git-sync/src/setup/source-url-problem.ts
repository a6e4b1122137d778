/** The protocols of a source, as git names them. */
export const sourceProtocols = ['file', 'https', 'http', 'ssh'] as const;

/** Why a source's URL is refused, without the URL itself, which may hold a secret. Undefined: it is accepted. */
export function sourceUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return 'it is no URL; user@host:path is written ssh://user@host/path';
  const parsed = new URL(url);
  return hostile.find(({ applies }) => applies(parsed, url))?.why;
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What git, a shell or ssh could take for more than a URL, and what would put a secret into the configuration. */
const hostile: readonly { readonly why: string; readonly applies: (url: URL, text: string) => boolean }[] = [
  {
    why: 'it is not file://, https://, http:// (loopback only) or ssh://',
    applies: ({ protocol }, text) =>
      !/^[a-z]+:\/\//.test(text) || !sourceProtocols.some((name) => protocol === `${name}:`),
  },
  { why: 'it holds a password; name a file in credentials', applies: ({ password }) => password !== '' },
  {
    why: 'it holds a user, which may be a token; name username and tokenFile in credentials',
    applies: ({ protocol, username }) => protocol.startsWith('http') && username !== '',
  },
  {
    why: 'it holds a query or a fragment, which may be a token; name a file in credentials',
    applies: (_url, text) => /[?#]/.test(text),
  },
  {
    why: 'it holds white space or control characters',
    applies: (_url, text) => /[\u0000-\u0020\u007f]/.test(text),
  },
  {
    why: 'its host or user begins with -',
    applies: ({ hostname, username }) => hostname.startsWith('-') || username.startsWith('-'),
  },
  {
    why: 'file:// names no host: file:///path/to/repository',
    applies: ({ protocol, hostname }) => protocol === 'file:' && hostname !== '',
  },
  {
    why: 'http:// is for loopback only',
    applies: ({ protocol, hostname }) => protocol === 'http:' && !loopback.has(hostname),
  },
];
