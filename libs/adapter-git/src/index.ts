export { createForge, type ForgeOptions } from './forge/create-forge.ts';
export { GitAdapter, type GitAdapterOptions } from './git-adapter.ts';
export type { GitNoteLog, LoggedNote } from './git-note-log.ts';
export { requestText, type TextAnswer, type TextRequest } from './network/request-text.ts';
export { loadSecrets } from './network/secret-file.ts';
