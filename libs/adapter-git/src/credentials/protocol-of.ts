import { sourceProtocols, sourceUrlProblem } from '#git-sync';
import { AdapterError } from '#kernel';

/** The protocol of a source's URL, as git names it. */
export type GitProtocol = (typeof sourceProtocols)[number];

/**
 * The protocol of a source's URL.
 *
 * @throws AdapterError `UrlNotAllowed` for any other form: helpers such as `ext::`, scp-like paths, a user or password in
 * an https:// URL, or plain HTTP beyond loopback.
 */
export function protocolOf(url: string): GitProtocol {
  const problem = sourceUrlProblem(url);
  const protocol = sourceProtocols.find((name) => url.startsWith(`${name}://`));
  if (problem === undefined && protocol !== undefined) return protocol;
  throw new AdapterError({
    code: 'UrlNotAllowed',
    message: `the source's url is not taken: ${problem ?? 'its protocol is unknown'}`,
    retryable: false,
  });
}
