export { makeFolder, makeFolderSync } from './make-folder.ts';
export { describeGone, OpenedFiles } from './opened-files.ts';
export { readTextFile } from './read-text-file.ts';
