import { act } from '../../api/act.ts';
import type { ScalingDirection } from '../../api/schema.generated.ts';
import type { ActionPreview, ActionResult } from '../../components/action-dialog.tsx';
import type { ActionEffectPartsFragment } from '../../components/action-effect.generated.ts';
import { fleet as texts } from '../../messages/fleet.ts';
import {
  DryRunPolicyDocument,
  type DryRunPolicyMutation,
  SuspendPolicyDocument,
  type SuspendPolicyMutation,
} from './fleet.generated.ts';
import { type FleetRow, rowKey } from './fleet-rows.ts';

/** The same action for several policies. */
export interface BulkRequest {
  readonly kind: 'suspend' | 'dryRun';
  readonly direction: ScalingDirection;
  readonly rows: readonly FleetRow[];
  readonly expires: string | undefined;
}

/** So many requests are under way at a time, of the sixteen that a caller may have. */
const atATime = 4;

/** What the actions would do, put together; the first refusal stands for all. */
export async function previewAll(request: BulkRequest): Promise<ActionPreview> {
  const previews = await inTurn(request.rows, (row) => preview(request, row));
  const refusal = previews.find((each) => each.kind === 'Refusal');
  if (refusal !== undefined) return refusal;
  const effects = previews.flatMap((each) => (each.kind === 'Effect' ? each.effect : []));
  const [first] = effects;
  if (first === undefined || effects.length === 1)
    return first === undefined ? { kind: 'Refusal', message: '' } : { kind: 'Effect', effect: first };
  return { kind: 'Effect', effect: together(first, effects) };
}

function together(
  first: ActionEffectPartsFragment,
  effects: readonly ActionEffectPartsFragment[],
): ActionEffectPartsFragment {
  return {
    ...first,
    summary: texts.bulk.summary(effects.length),
    total: effects.reduce((sum, { total }) => sum + total, 0),
    policies: effects.flatMap(({ policies }) => policies),
    changes: effects.flatMap(({ changes }) => changes),
    problems: [...new Set(effects.flatMap(({ problems }) => problems))],
    requires: { ...first.requires, confirm: effects.some(({ requires }) => requires.confirm) },
  };
}

async function preview(request: BulkRequest, row: FleetRow): Promise<ActionPreview> {
  const answer = await send(request, row, { dryRun: true });
  if (answer.kind !== 'Answered')
    return { kind: 'Refusal', message: `${rowKey(row)}: ${answer.problem.message}` };
  const { data } = answer;
  if (data.__typename === 'ActionPreview') return { kind: 'Effect', effect: data.effect };
  return { kind: 'Refusal', message: `${rowKey(row)}: ${'message' in data ? data.message : ''}` };
}

/** Carries the actions out, each with the effect that was just looked at. What was refused says which and why. */
export async function carryOutAll(request: BulkRequest & { readonly reason: string }): Promise<ActionResult> {
  const results = await inTurn(request.rows, (row) => carryOut(request, row));
  const failures = results.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  if (first === undefined) return { kind: 'Done' };
  if (results.length === 1 && results[0]?.isUnknown === true) return { kind: 'Unknown' };
  const done = results.length - failures.length;
  return { kind: 'Refusal', message: texts.bulk.some(done, results.length, first) };
}

interface Outcome {
  readonly failure?: string;
  readonly isUnknown?: boolean;
}

async function carryOut(request: BulkRequest & { readonly reason: string }, row: FleetRow): Promise<Outcome> {
  const looked = await preview(request, row);
  if (looked.kind === 'Refusal') return { failure: looked.message };
  const { requires, digest } = looked.effect;
  const confirm = requires.confirm ? { confirm: digest } : {};
  const answer = await send(request, row, { reason: request.reason, ...confirm });
  if (answer.kind !== 'Answered')
    return { failure: `${rowKey(row)}: ${answer.problem.message}`, isUnknown: answer.kind === 'Unknown' };
  return 'message' in answer.data ? { failure: `${rowKey(row)}: ${answer.data.message}` } : {};
}

type Sent =
  | { readonly kind: 'Answered'; readonly data: Data }
  | { readonly kind: 'NotSent' | 'Unknown'; readonly problem: { readonly message: string } };
type Data = SuspendPolicyMutation['suspendScaling'] | DryRunPolicyMutation['startDryRun'];

async function send(
  { kind, direction, expires = '' }: BulkRequest,
  { namespace, name }: FleetRow,
  how: { readonly dryRun?: boolean; readonly reason?: string; readonly confirm?: string },
): Promise<Sent> {
  const of = { namespace, name, expires, ...how };
  if (kind === 'dryRun') {
    const answer = await act(DryRunPolicyDocument, of);
    return answer.kind === 'Answered' ? { kind: 'Answered', data: answer.data.startDryRun } : answer;
  }
  const answer = await act(SuspendPolicyDocument, { ...of, direction });
  return answer.kind === 'Answered' ? { kind: 'Answered', data: answer.data.suspendScaling } : answer;
}

/** The results in the order of the items, a few at a time. */
async function inTurn<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += atATime)
    results.push(...(await Promise.all(items.slice(start, start + atATime).map(make))));
  return results;
}
