/** The forges whose addresses say what they are, and how each writes the address of a pull request. */
const forges: readonly (readonly [host: RegExp, path: string])[] = [
  [/(^|\.)github\./, 'pull'],
  [/(^|\.)gitlab\./, '-/merge_requests'],
  [/(^|\.)(gitea|forgejo|codeberg)\./, 'pulls'],
  // In its cloud; a server of one's own has other paths.
  [/^bitbucket\.org$/, 'pull-requests'],
];

/**
 * Where a pull request of a source's repository is looked at; undefined: the address of the repository does not say which
 * forge it is at.
 *
 * @param url As the source has it: `https://github.com/shop/policies.git`, `git@github.com:shop/policies`.
 */
export function pullRequestAddress(url: string, number: number): string | undefined {
  const [, host, path] =
    /^(?:https?|ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/.exec(url) ??
    /^[^@/\s]+@([^/:\s]+):(.+?)(?:\.git)?\/?$/.exec(url) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  const found = forges.find(([known]) => known.test(host));
  return found === undefined ? undefined : `https://${host}/${path}/${found[1]}/${number}`;
}
