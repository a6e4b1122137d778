import { actorName, counted, type Json, type JsonObject } from '#kernel';
import type { StreamHead } from '#ledger';
import { NewestRows } from '../rows/newest-rows.ts';
import { reportExceptions, type ReportRow, type ReportRowKind } from '../rows/report-row.ts';
import { argumentsOf, parsedDetails } from '../rows/row-details.ts';
import { filterText, leftOutText } from '../terms/filter-text.ts';
import { hoursText } from '../terms/price.ts';
import type { ReportResult, ReportStatement, ReportVerification } from '../terms/report-statement.ts';
import {
  clustersText,
  knownCostText,
  knownHoursText,
  type ReportTotals,
  type Total,
} from '../totals/report-totals.ts';
import { escapeHtml } from './escape-html.ts';
import { barChart, rankChart } from './html-charts.ts';
import { htmlStyle } from './html-style.ts';
import { readableDay, recordedTimeHtml, recordedTimeText, timeHtml } from './readable-time.ts';
import type { ReportForm } from './report-form.ts';

/** More rows than anyone reads, and few enough for a browser to print; JSON and CSV have all of them. */
const maximumRows = 2_000;
const rankedPolicies = 12;

/** What only reads the ledger, and is most of what operators do in a quiet period. */
const readings: ReadonlySet<string> = new Set(['MakeReport', 'ReadReport', 'ExportLedger']);

type Section = ReportRowKind | 'Reading';

const sections: readonly (readonly [Section, string])[] = [
  ['ScalingEvent', 'Scaling events'],
  ['PolicyChange', 'Changes of policies'],
  ['StrategyChange', 'Changes of strategy'],
  ['CommitReview', 'Pull requests'],
  ['OperatorAction', 'Actions of operators'],
  ['Reading', 'Reports and exports'],
];

/** A report as one HTML document that loads nothing and runs no script. */
export class HtmlReport implements ReportForm {
  readonly #exceptions = new NewestRows(maximumRows);
  readonly #rows = new Map(sections.map(([kind]) => [kind, new NewestRows(maximumRows)]));
  #statement: ReportStatement | null = null;

  begin(statement: ReportStatement): string {
    this.#statement = statement;
    return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>Plimsoll report ${escapeHtml(periodText(statement))}</title><style>${htmlStyle}</style></head><body>\n`;
  }

  row(row: ReportRow): string {
    if (row.exception !== null) this.#exceptions.add(row);
    this.#rows.get(sectionOf(row))?.add(row);
    return '';
  }

  end(totals: ReportTotals, { verification, nothingMatches }: ReportResult): string {
    const statement = this.#statement;
    if (statement === null) return '';
    return [
      `<h1>Scaling report</h1><p class="period">${periodHtml(statement)}</p>`,
      statusHtml(statement, verification),
      ...(nothingMatches === null
        ? []
        : [`<p class="note">Nothing matches: ${escapeHtml(nothingMatches)}</p>`]),
      beginningHtml(totals, statement),
      figuresHtml(totals, statement),
      chartsHtml(totals),
      this.#tableOf('Exceptions', this.#exceptions),
      totalsHtml('Teams', [...totals.teams], { statement, nameOf: (team) => team ?? '(none)' }),
      totalsHtml('Namespaces', [...totals.namespaces], { statement, nameOf: (name) => name }),
      totalsHtml('Policies', ranked(totals).slice(0, maximumRows), { statement, nameOf: (name) => name }),
      ...sections.map(([kind, title]) => this.#tableOf(title, this.#rows.get(kind))),
      statementHtml(statement, totals),
      '</body></html>\n',
    ].join('\n');
  }

  #tableOf(title: string, rows: NewestRows | undefined): string {
    if (rows === undefined || rows.count === 0)
      return `<h2>${title}</h2><p class="note">None in this period.</p>`;
    const listed = rows.list();
    const rest = rows.count - listed.length;
    const note =
      rest === 0
        ? ''
        : `<p class="note">The newest ${grouped(listed.length)} of ${grouped(rows.count)}; the forms CSV and JSON have all of them.</p>`;
    const timeZone = this.#statement?.period.timeZone ?? 'UTC';
    const body = listed.map((row) => rowHtml(row, timeZone)).join('\n');
    const head =
      '<th>Time</th><th>Policy</th><th>What</th><th>Before → after</th><th>By</th><th>Why</th><th>Entry</th>';
    return `<h2>${title} (${grouped(rows.count)})</h2>${note}<div class="wide rows" tabindex="0" role="region" aria-label="${title}"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
  }
}

/** Of a period that begins before the entries do: that nothing happened then is not what its figures say. */
function beginningHtml({ oldestEntry }: ReportTotals, { period }: ReportStatement): string {
  if (oldestEntry === null || oldestEntry <= period.from) return '';
  const since = timeHtml(oldestEntry, period.timeZone);
  return `<p class="note">The entries begin at ${since}: what was before is not known.</p>`;
}

function sectionOf({ kind, action }: ReportRow): Section {
  return kind === 'OperatorAction' && readings.has(action) ? 'Reading' : kind;
}

/** `1,264.500`: a page for people groups what programs read as digits. */
function grouped(number: bigint | number | string): string {
  const [whole = '', ...rest] = String(number).split('.');
  return [BigInt(whole).toLocaleString('en'), ...rest].join('.');
}

function periodText({ period: { from, until, timeZone } }: ReportStatement): string {
  return `${readableDay(from, timeZone)} to ${readableDay(until, timeZone)}, ${timeZone}`;
}

function periodHtml({ period: { from, until, timeZone } }: ReportStatement): string {
  const [first, last] = [from, until].map((moment) => timeHtml(moment, timeZone, readableDay));
  return `${first} to ${last}, ${escapeHtml(timeZone)}`;
}

function rowHtml(row: ReportRow, timeZone: string): string {
  const { time, namespace, policy, exception, action, before, after, actor, reason, entry } = row;
  const place = [namespace, policy].filter((part) => part !== null).join('/');
  const change =
    before === null
      ? [after, whatOf(row, timeZone)].filter((part) => part !== null).join(': ')
      : `${before} → ${after ?? ''}`;
  const what = exception === null ? action : `${action} (${exception})`;
  const why = [reason, ...saidOf(row)].filter((part) => part !== null).join('; ');
  const cells = [place, what, change, actorName(actor ?? ''), why].map(
    (text) => `<td>${breakableHtml(text)}</td>`,
  );
  return `<tr><td>${recordedTimeHtml(time, timeZone)}</td>${cells.join('')}<td><code>${breakableHtml(entry)}</code></td></tr>`;
}

/** What an operator did to what, until when, and whether it was ended before; null: of no action, or without any of that. */
function whatOf(row: ReportRow, timeZone: string): string | null {
  const given = argumentsOf(row);
  if (given === null) return null;
  const said = [interventionText(given, timeZone), ...otherArguments(given)].filter((part) => part !== null);
  const text = said.length === 0 ? null : said.join(', ');
  const { endedAt, endedBy } = given;
  if (text === null || typeof endedAt !== 'string') return text;
  return `${text}, ended at ${recordedTimeText(endedAt, timeZone)} by ${typeof endedBy === 'string' ? endedBy : '?'}`;
}

/** Why an action that was refused was asked for, what one that was forced went against, and who approved a pull request. */
function saidOf(row: ReportRow): readonly string[] {
  if (row.kind === 'CommitReview') return approvalsOf(row);
  const { givenReason, against } = argumentsOf(row) ?? {};
  const asked = typeof givenReason === 'string' ? [`asked for with the reason “${givenReason}”`] : [];
  const problems = Array.isArray(against) ? against.filter((each) => typeof each === 'string') : [];
  return [...asked, ...problems.map((each) => `against ${each}`)];
}

function approvalsOf(row: ReportRow): readonly string[] {
  const { approvers } = parsedDetails(row) ?? {};
  const names = Array.isArray(approvers) ? approvers.filter((each) => typeof each === 'string') : [];
  return names.length === 0 ? [] : [`approved by ${names.join(', ')}`];
}

function interventionText(
  { replicas, minReplicas, maxReplicas, direction, expires }: JsonObject,
  timeZone: string,
): string | null {
  const parts: readonly (readonly [string, Json | undefined])[] = [
    ['exactly', replicas],
    ['at least', minReplicas],
    ['at most', maxReplicas],
    ['no scaling', typeof direction === 'string' ? directionWords.get(direction) : undefined],
    ['until', typeof expires === 'string' ? recordedTimeText(expires, timeZone) : undefined],
  ];
  const said = parts.flatMap(([word, value]) =>
    typeof value === 'number' || typeof value === 'string' ? [`${word} ${value}`.trim()] : [],
  );
  return said.length === 0 ? null : said.join(', ');
}

/** In a row's other cells, in {@link interventionText}, or of no use to a reader. */
const saidElsewhere: ReadonlySet<string> = new Set([
  ...['policy', 'givenReason', 'against', 'operatorAction', 'endedAt', 'endedBy', 'id'],
  ...['replicas', 'minReplicas', 'maxReplicas', 'direction', 'expires'],
]);

/** `source main`, `commit 0f3a9c21d4e5`: by the names that the ledger has for them. */
function otherArguments(given: JsonObject): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (saidElsewhere.has(name) || (name === 'scope' && value === 'Policy')) return [];
    if (typeof value === 'string') return [`${name} ${shortHash(value)}`];
    return typeof value === 'number' ? [`${name} ${value}`] : [];
  });
}

/** As many digits of a commit or digest as lists have. */
function shortHash(text: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text.slice(0, 12) : text;
}

const directionWords: ReadonlyMap<string, string> = new Map([
  ['Up', 'up'],
  ['Down', 'down'],
  ['Both', ''],
]);

/** A name that is longer than its column goes on in the next line where a part of it begins. */
function breakableHtml(text: string): string {
  return text
    .split(/(?<=[/:])(?=\w)|(?=[#@])/)
    .map(escapeHtml)
    .join('<wbr>');
}

function statusHtml(
  { heads, checkpoint, period }: ReportStatement,
  { status, fault }: ReportVerification,
): string {
  if (status === 'Broken') {
    const text = `The ledger does not verify: ${fault ?? ''}`;
    return `<p class="status broken"><strong>Broken.</strong> ${escapeHtml(text)}</p>`;
  }
  const sealed =
    checkpoint === null
      ? 'There is no checkpoint.'
      : `The last checkpoint is ${checkpoint.number} of ${recordedTimeHtml(checkpoint.time, period.timeZone)}.`;
  const origin =
    status === 'Proven' ? 'The checkpoint is genuine.' : 'Who made the entries is not proven by this report.';
  const text = `Every entry of ${counted(grouped(heads.length), 'stream')} follows from the one before it, up to the heads named below. ${sealed} ${origin}`;
  return `<p class="status"><strong>${status}.</strong> ${text}</p>`;
}

function figuresHtml(totals: ReportTotals, { price }: ReportStatement): string {
  const { total } = totals;
  const exceptions = reportExceptions.map(
    (exception) => [exception, grouped(totals.exceptions.get(exception) ?? 0)] as const,
  );
  const amounts = [
    ['Replica-hours', knownHtml(knownHoursText(total))],
    ...(price === null
      ? []
      : [[`Cost (${price.currency})`, knownHtml(knownCostText(total, price))] as const]),
    ['Unknown hours', grouped(hoursText(total.unknownMilliseconds))],
    ['Scaling events', grouped(total.scalingEvents)],
  ] as const;
  return figureRow(amounts) + figureRow(exceptions);
}

/** A dash, with its reason, where no count is known. */
function knownHtml(text: string | null): string {
  return text === null ? '– <small>(no count is known)</small>' : grouped(text);
}

function figureRow(figures: readonly (readonly [name: string, value: string])[]): string {
  const cells = figures.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${value}</dd></div>`);
  return `<dl class="figures">${cells.join('')}</dl>`;
}

function chartsHtml(totals: ReportTotals): string {
  const hours = totals.buckets.map((bucket) => ({
    label: bucket.label,
    values: [knownHoursText(bucket) === null ? null : hoursOf(bucket.replicaMilliseconds)],
  }));
  const events = totals.buckets.map(({ label, scaleUps, scaleDowns }) => ({
    label,
    values: [scaleUps, scaleDowns],
  }));
  const directions = [
    { name: 'up', colour: 'primary' },
    { name: 'down', colour: 'secondary' },
  ] as const;
  const rank = ranked(totals)
    .filter(([, total]) => knownHoursText(total) !== null)
    .slice(0, rankedPolicies)
    .map(([label, { replicaMilliseconds }]) => ({ label, values: [hoursOf(replicaMilliseconds)] }));
  return `<div class="charts">${barChart('Replica-hours', [{ name: 'replica-hours', colour: 'primary' }], hours)}${barChart('Scaling events', directions, events)}</div>${rankChart('Policies with the most replica-hours', rank)}`;
}

function hoursOf(milliseconds: bigint): number {
  return Number(milliseconds) / 3_600_000;
}

function ranked(totals: ReportTotals): readonly (readonly [string, Total])[] {
  return totals.policies
    .map((total) => [`${total.namespace}/${total.policy}`, total] as const)
    .toSorted(([, left], [, right]) => (left.replicaMilliseconds < right.replicaMilliseconds ? 1 : -1));
}

function totalsHtml<K>(
  title: string,
  totals: readonly (readonly [K, Total])[],
  {
    statement: { price },
    nameOf,
  }: { readonly statement: ReportStatement; readonly nameOf: (key: K) => string },
): string {
  if (totals.length === 0) return '';
  const cost = price === null ? '' : `<th class="number">Cost (${escapeHtml(price.currency)})</th>`;
  const rows = totals.map(([key, total]) => {
    const numbers = [
      knownHtml(knownHoursText(total)),
      grouped(hoursText(total.unknownMilliseconds)),
      grouped(total.scalingEvents),
      ...(price === null ? [] : [knownHtml(knownCostText(total, price))]),
    ];
    const cells = numbers.map((number) => `<td class="number">${number}</td>`).join('');
    return `<tr><td>${escapeHtml(nameOf(key))}</td>${cells}</tr>`;
  });
  return `<h2>${title}</h2><div class="wide" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th>Name</th><th class="number">Replica-hours</th><th class="number">Unknown hours</th><th class="number">Scaling events</th>${cost}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

function statementHtml(statement: ReportStatement, totals: ReportTotals): string {
  const { entriesWithoutContent } = totals;
  const { madeAt, readFrom, filter, price, checkpoint, heads, period } = statement;
  const timeOf = (time: string): string => recordedTimeHtml(time, period.timeZone);
  const said = [
    ['Made at', `${timeOf(madeAt)}, from ${escapeHtml(readFrom)}`],
    ['Cluster', escapeHtml(clustersText(totals))],
    ['Period', periodHtml(statement)],
    ['Filter', escapeHtml(filterText(filter))],
    ['Left out', escapeHtml(leftOutText(filter) ?? 'nothing')],
    ['Price', price === null ? 'none given' : escapeHtml(`${price.text} ${price.currency} per replica-hour`)],
    [
      'Checkpoint',
      checkpoint === null
        ? 'none'
        : `${checkpoint.number} of ${timeOf(checkpoint.time)}, ${escapeHtml(checkpoint.origin)}`,
    ],
    [
      'Entries without content',
      `${grouped(entriesWithoutContent)}, deleted by retention or left out of the export`,
    ],
  ] as const;
  const rows = said.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`);
  return `<h2>What this report was made from</h2><table class="statement"><tbody>${rows.join('')}</tbody></table>${headsHtml(heads)}`;
}

function headsHtml(heads: readonly StreamHead[]): string {
  const rows = heads.map(
    ({ stream, seq, hash }) =>
      `<tr><td>${escapeHtml(stream)}</td><td class="number">${grouped(seq)}</td><td><code>${escapeHtml(hash)}</code></td></tr>`,
  );
  return `<details><summary>The heads of ${counted(grouped(heads.length), 'stream')}</summary><table><thead><tr><th>Stream</th><th class="number">Entries</th><th>Hash</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></details>`;
}
