import type { Decision, DecisionsAround } from '#contracts';
import type { ListOptions } from '../asking/list-options.ts';
import { policyPath, printAnswer } from '../asking/run-asking.ts';
import { filters } from '../forms/list-forms.ts';
import { requireKnown } from '../forms/policy-departure.ts';
import { type Column, table } from '../forms/print-answer.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { timeBefore } from '../server/time-after.ts';
import { UnusableError } from '../unusable-error.ts';

/** The most on each side, as the API has it. */
const maximumOnASide = 100;

interface DecisionAround {
  readonly when: 'after' | 'in force' | 'before';
  readonly decision: Decision;
}

const columns: readonly Column<DecisionAround>[] = [
  ['WHEN', ({ when }) => when],
  ['TIME', ({ decision: { time } }) => time],
  ['CURRENT', ({ decision: { currentReplicas } }) => currentReplicas],
  ['DESIRED', ({ decision: { desiredReplicas } }) => desiredReplicas],
  ['ACTION', ({ decision: { action } }) => action],
  ['REASON', ({ decision: { reason } }) => reason, 'Below'],
  ['ID', ({ decision: { id } }) => id, 'Spare'],
];

/** Prints what was decided for a policy before and after a time, newest first. @throws UnusableError */
export function printAround(name: string, options: ListOptions, terminal: Terminal): Promise<ExitStatus> {
  const { policy, around = '' } = options;
  if (name !== 'decisions' || policy === undefined)
    throw new UnusableError('--around is of one policy: get decisions --policy NAMESPACE/NAME --around TIME');
  const other = [...filters, 'sort' as const].find(
    (each) => each !== 'policy' && options[each] !== undefined,
  );
  if (other !== undefined)
    throw new UnusableError(`--around is not narrowed by --${other}; it takes --limit`);
  const query = { time: timeBefore('--around', around), first: firstOf(options) };
  return printAnswer(terminal, options, {
    load: async (ask) => {
      const path = policyPath(policy);
      const found = await ask<DecisionsAround>({ path: `${path}/decisions-around`, query });
      if (isEmpty(found)) await requireKnown(ask, path);
      return found;
    },
    show: (found) => showAround(found, policy, terminal.width),
  });
}

function firstOf({ limit }: ListOptions): string | undefined {
  if (limit === undefined) return undefined;
  if (/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= maximumOnASide) return limit;
  throw new UnusableError(
    `--limit is ${JSON.stringify(limit)}; beside --around it wants a count on each side, 1 to ${maximumOnASide}`,
  );
}

/** Which says nothing about whether there is, or was, such a policy. */
function isEmpty({ before, after }: DecisionsAround): boolean {
  return before.length + after.length === 0;
}

function showAround(found: DecisionsAround, policy: string, width: number | undefined): string {
  if (isEmpty(found)) return `no decisions of ${policy}\n`;
  const { before, after, run } = found;
  const rows: readonly DecisionAround[] = [
    ...after.toReversed().map((decision) => ({ when: 'after', decision }) as const),
    ...before.map((decision, index) => ({ when: index === 0 ? 'in force' : 'before', decision }) as const),
  ];
  const repeated =
    run === null ? '' : `the one in force was repeated ${run.count} times from ${run.first} to ${run.last}\n`;
  return `${table(rows, columns, width)}${repeated}`;
}
