export { GitAdapter, type GitAdapterOptions } from './git-adapter.ts';
export { minimumGitVersion } from './git-version.ts';
