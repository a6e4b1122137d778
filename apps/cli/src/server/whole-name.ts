import type { AuditEntry, Hold, Intervention, Revision, Source, Token } from '#contracts';
import { isJsonObject, type JsonObject } from '#kernel';
import { UnusableError } from '../unusable-error.ts';
import { type Ask, RefusedError } from './api-client.ts';
import { loadAll, loadItems } from './load-items.ts';

/** What tells a beginning from a whole name, and from what is neither. */
const beginning = /^[0-9a-f]{1,39}$/;
const wholeHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const beginningOfId = /^[0-9a-f][0-9a-f-]{0,34}$/;
const wholeId = /^[0-9a-f-]{36}$/;
const leastDigits = 7;
const maximumNamed = 10;

/**
 * The whole hash of a revision of a source, by its first digits, at least seven.
 *
 * @throws UnusableError where they are fewer, or several of the latest revisions begin so
 * @throws RefusedError where none does, or there is no such source
 */
export function wholeCommit(ask: Ask, source: string, given: string): Promise<string> {
  return wholeName(given, {
    operand: 'COMMIT',
    cure: `"plimsoll get revisions --source ${source}" has the latest`,
    list: () => revisionsOf(ask, source),
    what: `revision of ${source}`,
    code: 'UnknownRevision',
    unknown: `no revision of ${source} begins with ${given}; an older one than the latest 100 wants its whole hash`,
  });
}

/**
 * The whole digest of a hold of a source, likewise.
 *
 * @throws UnusableError where the digits are fewer, or several holds begin so
 * @throws RefusedError where none does, or there is no such source
 */
export function wholeDigest(ask: Ask, source: string, given: string): Promise<string> {
  return wholeName(given, {
    operand: 'DIGEST',
    cure: '"plimsoll get holds" has them',
    list: async () => {
      const holds = (await loadAll(ask, '/holds')) as readonly Hold[];
      const digests = holds.filter((hold) => hold.source === source).map(({ digest }) => digest);
      // Holds of a source that is not there are none, too.
      if (digests.length === 0) await ask({ path: pathOf(source) });
      return digests;
    },
    what: `hold of ${source}`,
    code: 'UnknownHold',
    unknown: `no hold of ${source} begins with ${given}; a newer commit may have replaced it`,
  });
}

/**
 * The whole hash of a revision of any source whose revisions the caller may see, likewise.
 *
 * @throws UnusableError where the digits are fewer, or several of the latest revisions begin so
 * @throws RefusedError where none does
 */
export function wholeCommitOfAny(ask: Ask, given: string): Promise<string> {
  return wholeName(given, {
    operand: '--commit',
    cure: '"plimsoll get revisions --source NAME" has the latest of a source',
    list: async () => {
      const hashes: string[] = [];
      for (const { name, viewerRoles } of (await loadAll(ask, '/sources')) as readonly Source[])
        if (viewerRoles.includes('viewer')) hashes.push(...(await revisionsOf(ask, name)));
      return hashes;
    },
    what: 'revision',
    code: 'UnknownCommit',
    unknown: `no revision that you may see begins with ${given}; another one, or an older one than the latest 100 of its source, wants its whole hash`,
  });
}

/**
 * The whole id of a standing intervention, likewise.
 *
 * @throws UnusableError where the characters are fewer, or several begin so
 * @throws RefusedError where none does
 */
export function wholeIntervention(ask: Ask, given: string): Promise<string> {
  return wholeName(given, {
    operand: 'ID',
    form: beginningOfId,
    wholeForm: wholeId,
    cure: '"plimsoll get interventions" has them',
    list: async () => {
      const standing = (await loadAll(ask, '/interventions')) as readonly Intervention[];
      return standing.map(({ id }) => id);
    },
    // The controller says of it who ended it.
    listPast: () => endedInterventions(ask),
    what: 'intervention',
    code: 'UnknownIntervention',
    unknown: `no intervention that stands, or has ended lately, begins with ${given}`,
  });
}

/** Those whose ends are among the latest actions of operators. */
async function endedInterventions(ask: Ask): Promise<readonly string[]> {
  const query = { kind: 'OperatorAction' };
  const { items } = await loadItems(ask, { path: '/audit-entries', query, wanted: latestActions });
  return (items as readonly AuditEntry[]).flatMap(({ payload }) => {
    const { action, arguments: given } = payload;
    const isEnd = typeof action === 'string' && action.startsWith('End') && isJsonObject(given ?? null);
    const id = isEnd ? (given as JsonObject)['id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

/** One page of them. */
const latestActions = 100;

/**
 * The whole id of a token that the caller may see, likewise.
 *
 * @throws UnusableError where the characters are fewer, or several begin so
 * @throws RefusedError where none does
 */
export function wholeToken(ask: Ask, given: string): Promise<string> {
  return wholeName(given, {
    operand: 'ID',
    form: beginningOfId,
    wholeForm: wholeId,
    cure: '"plimsoll token list" has them',
    list: async () => ((await loadAll(ask, '/tokens')) as readonly Token[]).map(({ id }) => id),
    what: 'token',
    code: 'UnknownToken',
    unknown: `no token begins with ${given}`,
  });
}

async function revisionsOf(ask: Ask, source: string): Promise<readonly string[]> {
  const revisions = (await loadAll(ask, `${pathOf(source)}/revisions`)) as readonly Revision[];
  if (revisions.length === 0)
    await requireWhole(ask, source, '; commits are named by their whole hash, all 40 digits');
  return revisions.map(({ commit }) => commit.hash);
}

/**
 * Of a source without revisions, that it is because there are none; `instead` ends the refusal with what can be done.
 *
 * @throws RefusedError where the caller may not see them
 */
export async function requireWhole(ask: Ask, source: string, instead = ''): Promise<void> {
  const { viewerRoles } = await ask<Source>({ path: pathOf(source) });
  if (viewerRoles.includes('viewer')) return;
  throw new RefusedError({
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    code: 'Forbidden',
    detail: `the revisions of ${source} are shown to viewers of every namespace that it is about${instead}`,
  });
}

function pathOf(source: string): string {
  return `/sources/${encodeURIComponent(source)}`;
}

/** What is named, and where its names are. */
interface Named {
  readonly operand: string;
  /** Of a beginning; by default that of a hash. */
  readonly form?: RegExp;
  /** Of a whole name; by default that of a hash. */
  readonly wholeForm?: RegExp;
  /** What helps where the digits are too few. */
  readonly cure: string;
  readonly list: () => Promise<readonly string[]>;
  /** Those that are no more, looked through where none of the list begins so; absent: none. */
  readonly listPast?: () => Promise<readonly string[]>;
  /** One of them, in words. */
  readonly what: string;
  /** As the controller answers for a whole name that there is not. */
  readonly code: string;
  readonly unknown: string;
}

/** The one name that begins so, in any case; a whole name as it is. */
async function wholeName(given: string, named: Named): Promise<string> {
  const { operand, form = beginning, wholeForm = wholeHash, cure, what, code, unknown } = named;
  const name = given.toLowerCase();
  if (wholeForm.test(name)) return name;
  if (!form.test(name) || name.length < leastDigits) {
    throw new UnusableError(
      `${operand} is "${given}"; it wants the whole name, or at least ${leastDigits} of its first digits: ${cure}`,
    );
  }
  const found = await namesBeginning(name, named);
  const [only, ...others] = found;
  if (only === undefined)
    throw new RefusedError({ type: 'about:blank', title: 'Not Found', status: 404, code, detail: unknown });
  if (others.length === 0) return only;
  throw new UnusableError(
    `more than one ${what} begins with ${given}: ${found.slice(0, maximumNamed).join(', ')}`,
  );
}

async function namesBeginning(given: string, { list, listPast }: Named): Promise<readonly string[]> {
  const beginningSo = (names: readonly string[]): readonly string[] =>
    [...new Set(names)].filter((name) => name.startsWith(given));
  const found = beginningSo(await list());
  return found.length > 0 || listPast === undefined ? found : beginningSo(await listPast());
}
