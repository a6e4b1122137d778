import type { ActionEffect } from '#contracts';
import { type Column, table } from './print-answer.ts';

type PolicyEffect = ActionEffect['policies'][number];
type Picture = NonNullable<PolicyEffect['now']>;

/**
 * What an action would do, for a person, with how to go on. Nothing of it is cut: the person decides by it.
 *
 * @param refusal the code with which the action was refused; absent: it was only asked what it would do
 */
export function describeEffect(effect: ActionEffect, refusal?: string): string {
  const { summary, policies, changes, total, until, problems, standing } = effect;
  // The table of policies says what changes of each: those that it has no room for are lines.
  const named = new Set(policies.map(({ policy }) => `${policy.namespace}/${policy.name}`));
  const lines = changes.map(wordsOfChange).filter(({ policy }) => policy === null || !named.has(policy));
  const shown = policies.length + lines.length;
  return [
    `${summary}\n`,
    policies.length === 0 ? '' : table(policies, columnsOf(policies)),
    lines.length === 0 ? '' : table(lines, changeColumns),
    total === 0 && until !== null ? `${actsOnNone}\n` : '',
    shown < total ? `  and ${total - shown} more\n` : '',
    ...problems.map((problem) => `against it: ${problem}\n`),
    ...standing.map((each) => `${standingText(each)}\n`),
    nextStep(effect, refusal),
  ].join('');
}

function nextStep({ requires, until, digest }: ActionEffect, refusal: string | undefined): string {
  const wanted = `role ${requires.role}${requires.force ? ' and --force' : ''}`;
  const options = `${until === null ? '' : `--until ${until} `}--confirm ${digest}`;
  if (refusal !== undefined && beyondRole.has(refusal))
    return `It wants ${wanted}, which you do not have here. Nothing is done; somebody who has it does exactly this with ${options}.\n`;
  return `It wants ${wanted}. Nothing is done yet; ${options} does exactly this.\n`;
}

/** The caller may not, whatever is confirmed. */
const beyondRole: ReadonlySet<string> = new Set(['ApproverRequired', 'AdminRequired']);

const columns: readonly Column<PolicyEffect>[] = [
  ['POLICY', ({ policy }) => `${policy.namespace}/${policy.name}`],
  ['NOW', ({ now }) => picture(now)],
  ['THEN', ({ then }) => picture(then)],
  ['CHANGES', ({ changes }) => changes.join('; ')],
  ['COUNT', countsText],
  ['NOTES', ({ notes }) => notes.join('; ')],
];

/** Where the action is no commit's, none of the documents changes. */
function columnsOf(policies: readonly PolicyEffect[]): readonly Column<PolicyEffect>[] {
  const isOfCommit = policies.some(({ changes }) => changes.length > 0);
  return isOfCommit ? columns : columns.filter(([heading]) => heading !== 'CHANGES');
}

/** A policy that leaves lets its target keep the count. */
function countsText({ now, then }: PolicyEffect): string {
  const after = then ?? now;
  return `${now?.replicas ?? '?'} → ${after?.replicas ?? '?'}`;
}

interface ChangeWords {
  readonly policy: string | null;
  readonly change: string;
}

/** `shop/checkout changed: maxReplicas 20 → 5`; what does not begin with a policy is of none. */
function wordsOfChange(text: string): ChangeWords {
  const [, policy = null, change = text] = /^([a-z0-9-]+\/[a-z0-9.-]+) (.*)$/s.exec(text) ?? [];
  return { policy, change };
}

const changeColumns: readonly Column<ChangeWords>[] = [
  ['POLICY', ({ policy }) => policy],
  ['CHANGE', ({ change }) => change],
];

/** What another operator did before. */
export function standingText({ kind, actor, expires, reason, id }: ActionEffect['standing'][number]): string {
  return `standing: ${kind} by ${actor} until ${expires} (${reason}), ${id}`;
}

/** Of an intervention whose scope is a namespace, say, without policies. */
export const actsOnNone = 'no policy in force is in its scope: it acts on those that come before it expires';

function picture(at: Picture | null): string {
  if (at === null) return 'not in force';
  const parts = [
    at.pin === null ? `${at.minReplicas} to ${at.maxReplicas}` : `pinned to ${at.pin}`,
    stoppedText(at.stopped),
    at.isDryRun ? 'dry run' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function stoppedText(stopped: Picture['stopped']): string {
  if (stopped === 'None') return '';
  return stopped === 'Both' ? 'no scaling' : `no scaling ${stopped.toLowerCase()}`;
}
