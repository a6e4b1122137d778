import type { ForgePort } from '#git-sync';
import type { NetworkFiles } from '../network/network-files.ts';
import { ForgeHttp } from './forge-http.ts';
import { GiteaForge } from './gitea-forge.ts';
import { GitHubForge } from './github-forge.ts';
import { GitLabForge } from './gitlab-forge.ts';

/** Which repository at which forge. */
export interface ForgeOptions extends NetworkFiles {
  readonly provider: 'github' | 'gitlab' | 'gitea';
  /** The API's root, without a slash at its end: `https://api.github.com`. */
  readonly apiUrl: string;
  readonly repository: string;
  /** Read at each request. */
  readonly tokenFile: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const forges = {
  github: GitHubForge,
  gitlab: GitLabForge,
  gitea: GiteaForge,
} as const;

/** A forge behind the port. Touches no network. */
export function createForge({ provider, repository, ...access }: ForgeOptions): ForgePort {
  const http = new ForgeHttp({ ...access, authorization: authorizations[provider] });
  return new forges[provider](http, repository);
}

const authorizations = {
  github: (token: string) => ({
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  gitlab: (token: string) => ({ 'private-token': token }),
  gitea: (token: string) => ({ authorization: `token ${token}` }),
} as const;
