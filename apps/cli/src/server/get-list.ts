import type { Hold, Intervention, Policy, Source } from '#contracts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ApiRequest } from './api-client.ts';
import { table } from './print-answer.ts';
import { type AskingOptions, printAnswer } from './run-asking.ts';
import { showPolicies } from './show-policy.ts';

/** A list longer than this wants a narrower question. */
const maximumItems = 10_000;

/** Prints a list whole. @throws UnusableError */
export function getList(kind: string, options: AskingOptions, terminal: Terminal): Promise<ExitStatus> {
  const show = forms[kind];
  if (show === undefined)
    throw new UnusableError(`${JSON.stringify(kind)} is none of ${Object.keys(forms).join(', ')}`);
  return printAnswer(terminal, options, { load: (ask) => loadAll(ask, `/${kind}`), show });
}

/** Every item of a list, page by page. */
export async function loadAll(
  ask: <A>(request: ApiRequest) => Promise<A>,
  path: string,
  narrowed: Readonly<Record<string, string>> = {},
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await ask<{ readonly items: readonly unknown[]; readonly next: string | null }>({
      path,
      query: { ...narrowed, first: '100', after },
    });
    items.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined && items.length < maximumItems);
  return items;
}

const forms: Readonly<Record<string, (items: readonly unknown[]) => string>> = {
  policies: (items) => showPolicies(items as readonly Policy[]),
  sources: (items) =>
    table(items as readonly Source[], [
      ['SOURCE', ({ name }) => name],
      ['REF', ({ ref }) => ref],
      ['COMMIT', ({ commit }) => commit?.hash.slice(0, 12) ?? null],
      ['PINNED', ({ pin }) => pin?.commit.slice(0, 12) ?? null],
      ['HOLDS', ({ holds }) => holds.length],
      ['STALE SINCE', ({ staleSince }) => staleSince],
    ]),
  holds: (items) =>
    table(items as readonly Hold[], [
      ['SOURCE', ({ source }) => source],
      ['DIGEST', ({ digest }) => digest],
      ['COMMIT', ({ commit }) => commit.slice(0, 12)],
      ['SINCE', ({ since }) => since],
      ['CAUSES', ({ causes }) => causes.map(({ message }) => message).join('; ')],
    ]),
  interventions: (items) =>
    table(items as readonly Intervention[], [
      ['ID', ({ id }) => id],
      ['KIND', ({ kind }) => kind],
      ['SCOPE', ({ scope }) => scopeText(scope)],
      ['BY', ({ actor }) => actor],
      ['EXPIRES', ({ expires }) => expires],
      ['REASON', ({ reason }) => reason],
    ]),
};

function scopeText(scope: Intervention['scope']): string {
  if (scope.kind === 'Policy') return `${scope.namespace}/${scope.name}`;
  if (scope.kind === 'Namespace') return `namespace ${scope.namespace}`;
  return scope.kind === 'Source' ? `source ${scope.source}` : 'cluster';
}
