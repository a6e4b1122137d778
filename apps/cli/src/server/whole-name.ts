import type { Hold, Intervention, Revision, Source } from '#contracts';
import { UnusableError } from '../unusable-error.ts';
import { RefusedError } from './api-client.ts';
import { loadAll } from './load-items.ts';
import type { Question } from './question.ts';

type Ask = Parameters<Question<unknown>['load']>[0];

/** What tells a beginning from a whole name, and from what the controller is to refuse. */
const beginning = /^[0-9a-f]{1,39}$/;
const beginningOfId = /^[0-9a-f][0-9a-f-]{0,34}$/;
const leastDigits = 7;
const maximumNamed = 10;

/**
 * The whole hash of a revision of a source, by its first digits, at least seven.
 *
 * @throws UnusableError where they are fewer, or several of the latest revisions begin so
 * @throws RefusedError where none does, or there is no such source
 */
export async function wholeCommit(ask: Ask, source: string, given: string): Promise<string> {
  const cure = `"plimsoll get revisions --source ${source}" has the latest`;
  if (!isBeginning(given, { operand: 'COMMIT', cure })) return given;
  const revisions = await loadAll(ask, `${pathOf(source)}/revisions`);
  const hashes = (revisions as readonly Revision[]).map(({ commit }) => commit.hash);
  const whole = theOne(hashes, given, `revision of ${source}`);
  if (whole !== null) return whole;
  const detail = `no revision of ${source} begins with ${given}; an older one than the latest 100 wants its whole hash`;
  throw new RefusedError({ ...notFound, code: 'UnknownRevision', detail });
}

/**
 * The whole digest of a hold of a source, likewise.
 *
 * @throws UnusableError where the digits are fewer, or several holds begin so
 * @throws RefusedError where none does, or there is no such source
 */
export async function wholeDigest(ask: Ask, source: string, given: string): Promise<string> {
  if (!isBeginning(given, { operand: 'DIGEST', cure: '"plimsoll get holds" has them' })) return given;
  const holds = (await loadAll(ask, '/holds')) as readonly Hold[];
  const digests = holds.filter((hold) => hold.source === source).map(({ digest }) => digest);
  const whole = theOne(digests, given, `hold of ${source}`);
  if (whole !== null) return whole;
  // Holds of a source that is not there are none, too.
  await ask({ path: pathOf(source) });
  const detail = `no hold of ${source} begins with ${given}; a newer commit may have replaced it`;
  throw new RefusedError({ ...notFound, code: 'UnknownHold', detail });
}

/**
 * The whole hash of a revision of any source that may be seen, likewise.
 *
 * @throws UnusableError where the digits are fewer, or several of the latest revisions begin so
 * @throws RefusedError where none does
 */
export async function wholeCommitOfAny(ask: Ask, given: string): Promise<string> {
  const cure = '"plimsoll get revisions --source NAME" has the latest of a source';
  if (!isBeginning(given, { operand: '--commit', cure })) return given;
  const hashes: string[] = [];
  for (const { name } of (await loadAll(ask, '/sources')) as readonly Source[]) {
    const revisions = await loadAll(ask, `${pathOf(name)}/revisions`);
    hashes.push(...(revisions as readonly Revision[]).map(({ commit }) => commit.hash));
  }
  const whole = theOne(hashes, given, 'revision');
  if (whole !== null) return whole;
  const detail = `no revision begins with ${given}; an older one than the latest 100 of its source wants its whole hash`;
  throw new RefusedError({ ...notFound, code: 'UnknownCommit', detail });
}

/**
 * The whole id of a standing intervention, likewise.
 *
 * @throws UnusableError where the characters are fewer, or several begin so
 * @throws RefusedError where none does
 */
export async function wholeIntervention(ask: Ask, given: string): Promise<string> {
  const cure = '"plimsoll get interventions" has them';
  if (!isBeginning(given, { operand: 'ID', cure, form: beginningOfId })) return given;
  const standing = (await loadAll(ask, '/interventions')) as readonly Intervention[];
  const ids = standing.map(({ id }) => id);
  const whole = theOne(ids, given, 'intervention');
  if (whole !== null) return whole;
  const detail = `no intervention that stands begins with ${given}`;
  throw new RefusedError({ ...notFound, code: 'UnknownIntervention', detail });
}

/** As the controller answers for a whole name. */
const notFound = { type: 'about:blank', title: 'Not Found', status: 404 } as const;

function pathOf(source: string): string {
  return `/sources/${encodeURIComponent(source)}`;
}

/** What is named, and what helps where the digits are too few. */
interface Named {
  readonly operand: string;
  readonly cure: string;
  readonly form?: RegExp;
}

function isBeginning(given: string, { operand, cure, form = beginning }: Named): boolean {
  if (!form.test(given)) return false;
  if (given.length >= leastDigits) return true;
  throw new UnusableError(
    `${operand} is "${given}"; it wants the whole name, or at least ${leastDigits} of its first digits: ${cure}`,
  );
}

/** Null: none begins so. */
function theOne(names: readonly string[], given: string, what: string): string | null {
  const found = [...new Set(names)].filter((name) => name.startsWith(given));
  const [only = null, ...others] = found;
  if (others.length === 0) return only;
  const named = found.slice(0, maximumNamed).join(', ');
  throw new UnusableError(`more than one ${what} begins with ${given}: ${named}`);
}
