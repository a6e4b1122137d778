import { AdapterError } from '#kernel';

/** The protocols of a source, as git names them. */
export type GitProtocol = (typeof protocols)[number];

const protocols = ['file', 'https', 'http', 'ssh'] as const;

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What git, a shell or ssh could take for more than a URL. */
const hostile: readonly { readonly why: string; readonly holds: (url: URL, text: string) => boolean }[] = [
  { why: 'it is not file://, https:// or ssh://', holds: (_url, text) => !/^[a-z]+:\/\//.test(text) },
  { why: 'it holds a password; name a file in credentials', holds: ({ password }) => password !== '' },
  {
    why: 'it holds white space or control characters',
    holds: (_url, text) => /[\u0000-\u0020\u007f]/.test(text),
  },
  {
    why: 'its host or user begins with -',
    holds: ({ hostname, username }) => hostname.startsWith('-') || username.startsWith('-'),
  },
  {
    why: 'http:// is for loopback only',
    holds: ({ protocol, hostname }) => protocol === 'http:' && !loopback.has(hostname),
  },
];

/**
 * The protocol of a source's URL. Throws `AdapterError` `UrlNotAllowed` for any other form: helpers such as `ext::`,
 * scp-like paths, a password in the URL, or plain HTTP beyond loopback.
 */
export function protocolOf(url: string): GitProtocol {
  if (!URL.canParse(url)) throw refused('it is no URL');
  const parsed = new URL(url);
  const found = hostile.find(({ holds }) => holds(parsed, url));
  if (found !== undefined) throw refused(found.why);
  const protocol = protocols.find((name) => parsed.protocol === `${name}:`);
  if (protocol === undefined) throw refused('it is not file://, https:// or ssh://');
  return protocol;
}

function refused(why: string): AdapterError {
  return new AdapterError({
    code: 'UrlNotAllowed',
    message: `the source's url is not taken: ${why}`,
    retryable: false,
  });
}
