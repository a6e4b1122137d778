import { AdapterError, fileFault } from '#kernel';

/** Makes the error `FolderUnusable` of a file that a report cannot be written to or read from: a full disk names none. */
export function unusableFile(file: string, error: unknown): AdapterError {
  return unusable(`the report's file ${file} cannot be used: ${fileFault(error, file)}`, error);
}

/** Makes the error `FolderUnusable` of a folder that takes no report. */
export function unusableFolder(folder: string, error: unknown): AdapterError {
  return unusable(`a report cannot be put into ${folder}: ${fileFault(error, folder)}`, error);
}

function unusable(message: string, cause: unknown): AdapterError {
  return new AdapterError({ code: 'FolderUnusable', message, retryable: true, cause });
}
