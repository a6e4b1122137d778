import type { Direction, FreezeWindow, ObservedWindow, SuspendIntervention } from '../model/observation.ts';
import { note, type Pass, step, type Verdict } from '../pass/pass.ts';
import { describeIntervention, isInForce } from './intervention.ts';

/**
 * A freeze window or a suspension stops a direction, whoever asked for the change; they act last of all. Several that
 * stop one change make one step each. Expired suspensions are named, so that nobody wonders.
 */
export function stopDirections(pass: Pass): Verdict {
  const wanted = pass.count;
  for (const window of pass.observation.windows ?? []) if (isFreeze(window)) freeze(pass, { window, wanted });
  for (const intervention of pass.observation.interventions ?? [])
    if (intervention.kind === 'Suspend') suspend(pass, { intervention, wanted });
  return 'next';
}

function freeze(pass: Pass, { window, wanted }: { window: FreezeWindow; wanted: number }): void {
  const { name, direction, until } = window;
  if (!stops(pass, { direction, wanted })) return;
  const end = until === null || until === undefined ? '' : ` until ${until}`;
  pass.keepReason = 'A freeze window stops the change';
  stop(pass, 'freeze', `freeze "${name ?? ''}"${end} stops scaling ${describe(direction)}`);
}

function suspend(
  pass: Pass,
  { intervention, wanted }: { intervention: SuspendIntervention; wanted: number },
): void {
  const { direction } = intervention;
  const described = describeIntervention(intervention);
  if (!isInForce(pass, intervention)) {
    note(pass, 'suspend', `${described} has expired`);
  } else if (stops(pass, { direction, wanted })) {
    pass.keepReason = 'The change is suspended';
    stop(pass, 'suspend', `${described} stops scaling ${describe(direction)}`);
  }
}

function stop(pass: Pass, rule: 'freeze' | 'suspend', because: string): void {
  step(pass, rule, { after: pass.present, because });
  pass.isStopped = true;
}

function stops({ present }: Pass, { direction, wanted }: { direction: Direction; wanted: number }): boolean {
  if (wanted === present) return false;
  return direction === 'Both' || (direction === 'Up') === wanted > present;
}

function isFreeze(window: ObservedWindow): window is FreezeWindow {
  return window.kind === 'Freeze';
}

function describe(direction: Direction): string {
  return direction === 'Both' ? 'in both directions' : direction.toLowerCase();
}
