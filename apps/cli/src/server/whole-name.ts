import type { Hold, Revision } from '#contracts';
import { UnusableError } from '../unusable-error.ts';
import { RefusedError } from './api-client.ts';
import { loadAll } from './get-list.ts';
import type { Question } from './question.ts';

type Ask = Parameters<Question<unknown>['load']>[0];

/** What tells a beginning from a whole name, and from what the controller is to refuse. */
const beginning = /^[0-9a-f]{1,39}$/;
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
  if (!isBeginning(given, 'COMMIT', cure)) return given;
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
  if (!isBeginning(given, 'DIGEST', '"plimsoll get holds" has them')) return given;
  const holds = (await loadAll(ask, '/holds')) as readonly Hold[];
  const digests = holds.filter((hold) => hold.source === source).map(({ digest }) => digest);
  const whole = theOne(digests, given, `hold of ${source}`);
  if (whole !== null) return whole;
  // Holds of a source that is not there are none, too.
  await ask({ path: pathOf(source) });
  const detail = `no hold of ${source} begins with ${given}; a newer commit may have replaced it`;
  throw new RefusedError({ ...notFound, code: 'UnknownHold', detail });
}

/** As the controller answers for a whole name. */
const notFound = { type: 'about:blank', title: 'Not Found', status: 404 } as const;

function pathOf(source: string): string {
  return `/sources/${encodeURIComponent(source)}`;
}

function isBeginning(given: string, operand: string, cure: string): boolean {
  if (!beginning.test(given)) return false;
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
