export { createForge, type ForgeOptions } from './forge/create-forge.ts';
export { loadSecrets } from './forge/secret-file.ts';
export { GitAdapter, type GitAdapterOptions } from './git-adapter.ts';
export { minimumGitVersion } from './git-version.ts';
