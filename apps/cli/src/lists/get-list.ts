import type { FlappingPolicies } from '#contracts';
import type { ListOptions } from '../asking/list-options.ts';
import { noteBeside, outageText } from '../asking/outage-note.ts';
import { policyOf, policyPath, printAnswer } from '../asking/run-asking.ts';
import { type Filter, filters, flappingForm, type ListForm, listForms } from '../forms/list-forms.ts';
import { notVisibleText } from '../forms/not-visible-holds.ts';
import { requireKnown } from '../forms/policy-departure.ts';
import { type Column, table } from '../forms/print-answer.ts';
import { requireNamespaces } from '../namespace-argument.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import type { ApiRequest, Ask } from '../server/api-client.ts';
import { loadItems } from '../server/load-items.ts';
import { onOneLine } from '../server/one-line.ts';
import { periodBefore } from '../server/time-after.ts';
import { requireWhole, wholeCommitOfAny } from '../server/whole-name.ts';
import { UnusableError } from '../unusable-error.ts';
import { printAround } from './decisions-around.ts';

/** A list longer than this wants a narrower question. */
const maximumItems = 10_000;

/** Prints a list. @throws UnusableError */
export function getList(name: string, options: ListOptions, terminal: Terminal): Promise<ExitStatus> {
  if (options.around !== undefined) return printAround(name, options, terminal);
  if (name === 'flapping') return printFlapping(options, terminal);
  const form = Object.hasOwn(listForms, name) ? listForms[name] : undefined;
  if (form === undefined) {
    throw new UnusableError(
      `${JSON.stringify(name)} is none of ${[...Object.keys(listForms), 'flapping'].join(', ')}`,
    );
  }
  if (name === 'holds') return printHolds(form, options, terminal);
  const place = placeOf(name, options);
  const whenEmpty = emptyList(name, options);
  const note = async (ask: Ask, isEmpty: boolean): Promise<string> => {
    const outage = name === 'policies' ? await outageText(ask) : '';
    return isEmpty ? outage + (await unknownNamespaces(ask, options)) : outage;
  };
  return printList({ name, ...place, form, whenEmpty, note }, options, terminal);
}

/** Where the caller may not see all that waits whole, an empty list does not say that nothing does. */
function printHolds(form: ListForm, options: ListOptions, terminal: Terminal): Promise<ExitStatus> {
  let notVisible = '';
  const whenEmpty: AskedList['whenEmpty'] = {
    require: async (ask) => {
      notVisible = await notVisibleText(ask);
    },
    get text() {
      return notVisible === '' ? 'nothing is held\n' : 'nothing is held that you may see whole\n';
    },
  };
  const note = (ask: Ask, isEmpty: boolean): Promise<string> =>
    isEmpty ? Promise.resolve(notVisible) : notVisibleText(ask);
  return printList({ name: 'holds', path: '/holds', form, whenEmpty, note }, options, terminal);
}

/** Of a mistyped namespace a list is empty, too. A line each; empty: all have policies that the caller may see. */
async function unknownNamespaces(ask: Ask, { namespace = [] }: ListOptions): Promise<string> {
  const lines = await Promise.all(
    [...new Set(namespace)].map(async (name) => {
      const query = { namespace: name };
      const { items } = await loadItems(ask, { path: '/policies', query, wanted: 1 });
      return items.length > 0
        ? ''
        : `plimsoll: no policy in force that you may see is in namespace ${onOneLine(name)}\n`;
    }),
  );
  return lines.join('');
}

/** An empty list says nothing about whether there is such a policy, or whether the caller may see revisions. */
function emptyList(name: string, { policy, source }: ListOptions): AskedList['whenEmpty'] {
  if (policy !== undefined) {
    return {
      require: (ask) => requireKnown(ask, policyPath(policy)),
      text: `no ${wordsOf(name)} of ${policy}\n`,
    };
  }
  if (name !== 'revisions' || source === undefined) return undefined;
  return { require: (ask) => requireWhole(ask, source), text: `no revisions of ${source}\n` };
}

function wordsOf(name: string): string {
  return name.replaceAll('-', ' ');
}

/** So long where nothing else is asked for: a night. */
const usualFlapping = '12h';

/** One answer, of the policies that flap most. */
function printFlapping(options: ListOptions, terminal: Terminal): Promise<ExitStatus> {
  const { columns, filters: taken, none } = flappingForm;
  requireTaken('flapping policies', taken, options);
  const order = orderOf(columns, options);
  const limit = limitOf(options) ?? maximumItems;
  const query = queryOf({ ...options, from: options.from ?? usualFlapping });
  return printAnswer(terminal, options, {
    load: async (ask) => {
      const { policies, isComplete } = await ask<FlappingPolicies>({ path: '/flapping-policies', query });
      const shown = ordered(policies, order).slice(0, limit);
      if (!isComplete)
        terminal.messages.write('plimsoll: only the newest 20000 changes are looked at; narrow the time\n');
      return shown;
    },
    show: (policies) => (policies.length === 0 ? `${none}\n` : table(policies, columns, terminal.width)),
  });
}

function placeOf(name: string, options: ListOptions): Pick<AskedList, 'path' | 'inPath'> {
  if (name === 'revisions') return { path: revisionsPath(options), inPath: 'source' };
  if (name !== 'decisions' || options.policy === undefined) return { path: `/${name}` };
  if (options.namespace === undefined)
    return { path: `${policyPath(options.policy)}/decisions`, inPath: 'policy' };
  throw new UnusableError('decisions are narrowed by --namespace or by --policy, not by both');
}

function revisionsPath({ source }: ListOptions): string {
  if (source === undefined) throw new UnusableError('revisions are of a source: --source NAME');
  return `/sources/${encodeURIComponent(source)}/revisions`;
}

/** A list of the API, and how it looks. */
export interface AskedList {
  /** In messages. */
  readonly name: string;
  readonly path: string;
  /** What narrows the list by its path, and is not asked for again; absent: nothing. */
  readonly inPath?: Filter;
  readonly form: ListForm;
  /** What is said where it has no items, and what refuses to say so; absent: as its form says. */
  readonly whenEmpty?: { readonly require: (ask: Ask) => Promise<void>; readonly text: string } | undefined;
  /** Loads what is told beside it; empty: nothing. */
  readonly note?: (ask: Ask, isEmpty: boolean) => Promise<string>;
}

/** Prints the items of a list that fit, in an order. @throws UnusableError */
export function printList(
  { name, path, inPath, form, whenEmpty, note: noted }: AskedList,
  options: ListOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { columns, filters: taken, usualLimit = null, none = `no ${wordsOf(name)}` } = form;
  requireTaken(name, taken, options);
  const order = orderOf(columns, options);
  const limit = limitOf(options) ?? (order === null ? usualLimit : null);
  // What is new comes last where lines are added one below the other.
  const isOldestFirst =
    options.watch === true && terminal.isScreen !== true && order === null && usualLimit !== null;
  const query = queryOf(inPath === undefined ? options : { ...options, [inPath]: undefined });
  // However often the list is looked at.
  let commit: string | undefined;
  let isEmpty = false;
  const note = noted === undefined ? null : noteBeside(terminal, options, (ask) => noted(ask, isEmpty));
  return printAnswer(terminal, options, {
    load: async (ask) => {
      const wanted = order === null ? (limit ?? maximumItems) : maximumItems;
      if (options.commit !== undefined) commit ??= await wholeCommitOfAny(ask, options.commit);
      const { items, hasMore } = await loadItems(ask, { path, query: { ...query, commit }, wanted });
      if (items.length === 0 && whenEmpty !== undefined) await whenEmpty.require(ask);
      isEmpty = items.length === 0;
      await note?.look(ask);
      if (hasMore) terminal.messages.write(cutNote(name, wanted, options));
      return ordered(items, order).slice(0, limit ?? maximumItems);
    },
    show: (items) => {
      const text =
        items.length === 0
          ? (whenEmpty?.text ?? `${none}\n`)
          : table(isOldestFirst ? items.toReversed() : items, columns, terminal.width);
      return `${note?.onScreen() ?? ''}${text}`;
    },
  });
}

/** That there is more than what is looked at; nothing where so many were asked for, or it is looked at again and again. */
function cutNote(name: string, wanted: number, { limit, watch }: ListOptions): string {
  if (wanted === maximumItems)
    return `plimsoll: only the first ${maximumItems} ${name} are looked at; narrow the list\n`;
  const isAsked = limit !== undefined || watch === true;
  return isAsked ? '' : `plimsoll: there are more than these ${wanted} ${name}; --limit shows more\n`;
}

function requireTaken(name: string, taken: readonly Filter[], options: ListOptions): void {
  const [other] = filters.filter((filter) => options[filter] !== undefined && !taken.includes(filter));
  if (other === undefined) return;
  const known = taken.map((filter) => `--${filter}`).join(', ') || 'no filter';
  throw new UnusableError(`${name} are not narrowed by --${other}; they take ${known}`);
}

function queryOf({ from, until, ...options }: ListOptions): NonNullable<ApiRequest['query']> {
  const { namespace, policy, state, kind, action, actor, commit } = options;
  if (policy !== undefined) policyOf(policy);
  requireNamespaces(namespace, 'Name');
  return {
    ...{ namespace, policy, state, kind, action, actor, commit },
    ...periodBefore({ from, until }),
  };
}

function limitOf({ limit }: ListOptions): number | null {
  if (limit === undefined) return null;
  const count = /^\d{1,5}$/.test(limit) ? Number(limit) : 0;
  if (count >= 1 && count <= maximumItems) return count;
  throw new UnusableError(`--limit is ${JSON.stringify(limit)}; it wants a count, 1 to ${maximumItems}`);
}

type Order = (left: unknown, right: unknown) => number;

function ordered<T>(items: readonly T[], order: Order | null): readonly T[] {
  return order === null ? items : items.toSorted(order);
}

/** By a column of the table; what it has no value for comes last. Null: the order of the API. */
function orderOf(columns: readonly Column<unknown>[], { sort, reverse = false }: ListOptions): Order | null {
  if (sort === undefined) {
    if (reverse) throw new UnusableError('--reverse wants --sort beside it');
    return null;
  }
  const wanted = columns.find(([heading]) => sortName(heading) === sort.toLowerCase());
  if (wanted === undefined) {
    const known = columns.map(([heading]) => sortName(heading)).join(', ');
    throw new UnusableError(`--sort is ${JSON.stringify(sort)}; the columns are ${known}`);
  }
  const [, cell] = wanted;
  const sign = reverse ? -1 : 1;
  return (left, right) => {
    const [one, other] = [cell(left), cell(right)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compare(one, other);
  };
}

/** What a column is called where it is an argument. */
export function sortName(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (String(one) === String(other)) return 0;
  return String(one) < String(other) ? -1 : 1;
}
