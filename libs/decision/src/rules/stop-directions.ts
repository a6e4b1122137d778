import { describeIntervention, isInForce } from '../evaluation/describe-intervention.ts';
import { type Evaluation, note, type RuleOutcome, step } from '../evaluation/evaluation.ts';
import type { Direction, FreezeWindow, ObservedWindow, SuspendIntervention } from '../model/observation.ts';

/**
 * A freeze window or a suspension stops a direction, a pin included; they act last. Several that stop one change make
 * one step each. Expired suspensions are named.
 */
export function stopDirections(evaluation: Evaluation): RuleOutcome {
  const wanted = evaluation.count;
  for (const window of evaluation.windows) if (isFreeze(window)) freeze(evaluation, { window, wanted });
  for (const intervention of evaluation.interventions)
    if (intervention.kind === 'Suspend') suspend(evaluation, { intervention, wanted });
  return 'next';
}

function freeze(evaluation: Evaluation, { window, wanted }: { window: FreezeWindow; wanted: number }): void {
  const { name, direction, until } = window;
  if (!stops(evaluation, { direction, wanted })) return;
  const end = until === null || until === undefined ? '' : ` until ${until}`;
  evaluation.reason = 'A freeze window stops the change';
  stop(evaluation, 'freeze', `freeze "${name ?? ''}"${end} stops scaling ${describe(direction)}`);
}

function suspend(
  evaluation: Evaluation,
  { intervention, wanted }: { intervention: SuspendIntervention; wanted: number },
): void {
  const { direction } = intervention;
  const described = describeIntervention(intervention);
  if (!isInForce(evaluation, intervention)) {
    note(evaluation, 'suspend', `${described} has expired`);
  } else if (stops(evaluation, { direction, wanted })) {
    evaluation.reason = 'The change is suspended';
    stop(evaluation, 'suspend', `${described} stops scaling ${describe(direction)}`);
  }
}

function stop(evaluation: Evaluation, rule: 'freeze' | 'suspend', because: string): void {
  step(evaluation, rule, { after: evaluation.present, because });
}

function stops(
  { present }: Evaluation,
  { direction, wanted }: { direction: Direction; wanted: number },
): boolean {
  if (wanted === present) return false;
  return direction === 'Both' || (direction === 'Up') === wanted > present;
}

function isFreeze(window: ObservedWindow): window is FreezeWindow {
  return window.kind === 'Freeze';
}

function describe(direction: Direction): string {
  return direction === 'Both' ? 'in both directions' : direction.toLowerCase();
}
