import type { Direction, FreezeWindow, ObservedWindow } from '../model/observation.ts';
import { note, step, type Pass, type Verdict } from '../pass/pass.ts';
import { describeIntervention, isInForce } from './intervention.ts';

/**
 * A freeze window or a suspension stops a direction, whoever asked for the change; they act last of all. Several that
 * stop one change make one step each. Expired suspensions are named, so that nobody wonders.
 */
export function stopDirections(pass: Pass): Verdict {
  const wanted = pass.count ?? 0;
  for (const window of (pass.observation.windows ?? []).filter(isFreeze)) {
    const { name, direction, until } = window;
    if (!stops(pass, { direction, wanted })) continue;
    const end = until === null || until === undefined ? '' : ` until ${until}`;
    stop(pass, 'freeze', `freeze "${name ?? ''}"${end} stops scaling ${describe(direction)}`);
  }
  for (const intervention of pass.observation.interventions ?? []) {
    if (intervention.kind !== 'Suspend') continue;
    const { direction } = intervention;
    if (!isInForce(pass, intervention))
      note(pass, 'suspend', `${describeIntervention(intervention)} has expired`);
    else if (stops(pass, { direction, wanted }))
      stop(pass, 'suspend', `${describeIntervention(intervention)} stops scaling ${describe(direction)}`);
  }
  return 'next';
}

function stop(pass: Pass, rule: 'freeze' | 'suspend', because: string): void {
  step(pass, rule, { after: pass.current, because });
  pass.isStopped = true;
  pass.keepReason = rule === 'freeze' ? 'A freeze window stops the change' : 'The change is suspended';
}

function stops(pass: Pass, { direction, wanted }: { direction: Direction; wanted: number }): boolean {
  const current = pass.current ?? 0;
  if (wanted === current) return false;
  return direction === 'Both' || (direction === 'Up') === wanted > current;
}

function isFreeze(window: ObservedWindow): window is FreezeWindow {
  return window.kind === 'Freeze';
}

function describe(direction: Direction): string {
  return direction === 'Both' ? 'in both directions' : direction.toLowerCase();
}
