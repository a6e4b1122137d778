import type { RepositoryReading } from '../documents/repository-reading.ts';
import { normalPath } from '../files/tree-file.ts';

/** Why a commit has no policy: one sentence, and counts by cause. */
export interface NothingTaken {
  readonly message: string;
  readonly items: readonly string[];
}

/** Explains why nothing was taken from a tree: by its path, its files, or what stands in the way of its documents. */
export function explainNothing(
  { files, untaken }: Pick<RepositoryReading, 'files' | 'untaken'>,
  path: string,
): NothingTaken {
  const inPath = files.filter(({ status }) => status !== 'AbovePath');
  if (inPath.length === 0) return { message: nothingInPath(normalPath(path)), items: [] };
  const lookedAt = inPath.filter(({ status }) => isLookedAt(status));
  if (lookedAt.length === 0) {
    const message = `none of ${count(inPath.length, 'YAML file')} is read: all are left out`;
    return { message, items: countsOf(inPath.map(({ status }) => status)) };
  }
  const read = `${count(lookedAt.length, 'YAML file')} read`;
  if (untaken.length === 0) return { message: `${read}, none has a policy kind`, items: [] };
  const documents = count(untaken.length, 'document');
  return {
    message: `${read}, and ${documents} of a policy kind not taken`,
    items: countsOf(untaken.map(({ reason }) => reason)),
  };
}

/** Whether a file's bytes were looked at, at least for the names of our kinds. */
export function isLookedAt(status: RepositoryReading['files'][number]['status']): boolean {
  return status === 'Read' || status === 'Other' || status === 'Unreadable';
}

function nothingInPath(path: string): string {
  return path === ''
    ? 'the commit has no YAML file'
    : `path ${path} is not in this commit, or has no YAML file`;
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

function countsOf(causes: readonly string[]): readonly string[] {
  return [...Map.groupBy(causes, (cause) => cause)].map(([cause, found]) => `${cause} ${found.length}`);
}
