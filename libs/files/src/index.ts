export { makeFolder, makeFolderSync } from './make-folder.ts';
