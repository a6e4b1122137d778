/** The parts of what stands behind a decision that want more than the role in the policy's namespace. */
export type BlamePart = 'Revision' | 'AllowedBy' | 'Sync' | 'Review';

/** A part of an answer that is left out since the caller may not see it. */
export interface NotVisible<Part extends string> {
  readonly part: Part;
  /** The source whose namespaces it is about; null: all namespaces there are. */
  readonly source: string | null;
  /** Which role would show it, where: `needs viewer of all namespaces of source policies`. */
  readonly message: string;
}

/** Parts that only viewers of all of a source see, or, without a source, viewers of `*`; in the words that every client shows. */
export function notVisible<Part extends string>(
  parts: readonly Part[],
  source: string | null,
): readonly NotVisible<Part>[] {
  return parts.map((part) => ({ part, source, message: viewerNeeded(source) }));
}

/** Which role would show what is about all of a source, or, without a source, about all namespaces there are. */
export function viewerNeeded(source: string | null): string {
  return `needs viewer of all namespaces${source === null ? '' : ` of source ${source}`}`;
}
