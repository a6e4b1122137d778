import { isJsonObject, type Json, type JsonObject } from '#kernel';

/** More approvers than this are cut: no person reads them. */
const maximumApprovers = 100;

/** A merged pull request as every forge has it, under one set of names. */
export interface MergedPullRequest {
  readonly number: number;
  readonly author: string | null;
  /** The branch that it was merged into. */
  readonly branch: string;
  readonly mergeCommit: string | null;
  /** Milliseconds since 1970; null where the forge does not say. */
  readonly mergedAt: number | null;
}

/** One reviewer's answer, and when it was given. */
export interface Review {
  readonly reviewer: string;
  readonly isApproval: boolean;
  /** Milliseconds since 1970; null where the forge does not say. */
  readonly time: number | null;
}

/** The objects of a list; anything else is an empty one. */
export function objectsOf(answer: Json | undefined): readonly JsonObject[] {
  return Array.isArray(answer) ? answer.filter((item: Json) => isJsonObject(item)) : [];
}

/** A text field of an object within an object: `textAt(pull, 'user', 'login')`. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string | null {
  let found: Json | undefined = value;
  for (const key of path) found = isJsonObject(found) ? found[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : null;
}

/** A time field, in milliseconds since 1970; null where there is none. */
export function timeAt(value: Json | undefined, ...path: readonly string[]): number | null {
  const milliseconds = Date.parse(textAt(value, ...path) ?? '');
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/** A whole number; null where it is none. */
export function numberAt(value: JsonObject, key: string): number | null {
  const found = value[key];
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : null;
}

/** The pull request that brought the commit: the one merged as it, else one merged into the branch, else any. */
export function chosenPullRequest(
  merged: readonly MergedPullRequest[],
  commit: string,
  branch: string,
): MergedPullRequest | null {
  return (
    merged.find(({ mergeCommit }) => mergeCommit === commit) ??
    merged.find((pull) => pull.branch === branch) ??
    merged[0] ??
    null
  );
}

/** Reviewers whose last review approves; reviews after the merge do not count. */
export function approversOf(reviews: readonly Review[], { mergedAt }: MergedPullRequest): readonly string[] {
  const last = new Map<string, boolean>();
  for (const { reviewer, isApproval, time } of reviews)
    if (time === null || mergedAt === null || time <= mergedAt) last.set(reviewer, isApproval);
  return [...last.entries()]
    .filter(([, isApproval]) => isApproval)
    .map(([reviewer]) => reviewer)
    .slice(0, maximumApprovers);
}

/**
 * A text of at most so many characters. Those beyond the basic plane, which GitHub refuses and a cut could halve, are
 * replaced.
 */
export function cutTo(text: string, maximumCharacters: number): string {
  const plain = text.replace(/[\ud800-\udfff]/gu, '\ufffd').replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd');
  return plain.length <= maximumCharacters ? plain : `${plain.slice(0, maximumCharacters - 1)}…`;
}
