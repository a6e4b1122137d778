import { AdapterError, isJsonObject, type Json, type JsonObject, shortText } from '#kernel';

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

/** No forge has longer logins. */
const maximumLoginCharacters = 255;

/**
 * An answer that is none of the forge's, as that of a proxy before it. It is never taken for an empty one, which would say that nobody
 * reviewed a commit, or that none was asked.
 */
export function unreadableAnswer(why: string): AdapterError {
  return new AdapterError({
    code: 'AnswerUnreadable',
    message: `the forge's answer is not used: ${why}`,
    retryable: true,
  });
}

/** Forges say so of what the token may not see, too: it is no word about the commit. */
export function notShown(what: string): AdapterError {
  return new AdapterError({
    code: 'NotShown',
    message: `the forge shows the token no ${what}`,
    retryable: true,
  });
}

/** @throws AdapterError `AnswerUnreadable` */
export function objectOf(answer: Json): JsonObject {
  if (isJsonObject(answer)) return answer;
  throw unreadableAnswer('it is no object');
}

/** @throws AdapterError `AnswerUnreadable` */
export function objectsOf(answer: Json | undefined): readonly JsonObject[] {
  if (Array.isArray(answer)) return answer.map((item: Json) => objectOf(item));
  throw unreadableAnswer('it is no list');
}

/** The login at a path; null where there is none, as of an account that is gone. @throws AdapterError `AnswerUnreadable` */
export function loginAt(value: JsonObject, ...path: readonly string[]): string | null {
  const login = textAt(value, ...path);
  if (login === null || (login.length <= maximumLoginCharacters && !/\p{C}/u.test(login))) return login;
  throw unreadableAnswer('a login in it is none');
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

/** The number of a pull request. @throws AdapterError `AnswerUnreadable` */
export function numberAt(value: JsonObject, key: string): number {
  const found = value[key];
  if (typeof found === 'number' && Number.isSafeInteger(found) && found > 0) return found;
  throw unreadableAnswer('a pull request in it has no number');
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
  return shortText(plain, maximumCharacters);
}
