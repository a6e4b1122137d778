export { makeFolder, makeFolderSync } from './make-folder.ts';
export { describeGone, OpenedFiles } from './opened-files.ts';
