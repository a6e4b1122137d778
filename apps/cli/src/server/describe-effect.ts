import type { ActionEffect } from '#contracts';
import { type Column, table } from './print-answer.ts';

type PolicyEffect = ActionEffect['policies'][number];
type Picture = NonNullable<PolicyEffect['now']>;

/**
 * What an action would do, for a person, with how to go on.
 *
 * @param width of the screen, as {@link table} has it
 */
export function describeEffect(effect: ActionEffect, width?: number): string {
  const { summary, policies, changes, total, until, requires, problems, standing, digest } = effect;
  const shown = policies.length + changes.length;
  return [
    `${summary}\n`,
    policies.length === 0 ? '' : table(policies, columns, width),
    ...changes.map((change) => `  ${change}\n`),
    total === 0 && until !== null ? `${actsOnNone}\n` : '',
    shown < total ? `  and ${total - shown} more\n` : '',
    ...problems.map((problem) => `against it: ${problem}\n`),
    ...standing.map((each) => `${standingText(each)}\n`),
    `It wants role ${requires.role}${requires.force ? ' and --force' : ''}. Nothing is done yet; ${until === null ? '' : `--until ${until} `}--confirm ${digest} does exactly this.\n`,
  ].join('');
}

const columns: readonly Column<PolicyEffect>[] = [
  ['POLICY', ({ policy }) => `${policy.namespace}/${policy.name}`],
  ['NOW', ({ now }) => picture(now)],
  ['THEN', ({ then }) => picture(then)],
  ['COUNT', ({ now, then }) => `${now?.replicas ?? '?'} → ${then?.replicas ?? '?'}`],
  ['NOTES', ({ notes }) => notes.join('; ')],
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
