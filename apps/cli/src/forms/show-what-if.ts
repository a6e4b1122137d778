import type { DryDecision } from '#contracts';
import type { Decision } from '#decision';
import { explainDecision, type Paint } from '../decision/explain-decision.ts';

/** The bounds that were asked for. */
interface AskedBounds {
  readonly minReplicas: string | undefined;
  readonly maxReplicas: string | undefined;
}

/** The bounds, the waterfall with them, and what was decided in its place. */
export function showWhatIf({ recorded, ...dry }: DryDecision, bounds: AskedBounds, paint: Paint): string {
  // The wire has the shapes of the decision contract.
  const decision = { ...recorded, ...dry } as unknown as Decision;
  const was = `${recorded.currentReplicas ?? '?'} → ${recorded.desiredReplicas ?? '?'}  ${recorded.action}: ${recorded.reason}`;
  return `${boundsLine(bounds, dry)}${explainDecision({ decision, departures: [] }, paint)}\n\nrecorded  ${recorded.time}  ${was}\n`;
}

/** With the rule that has the last word: the reason of a decision is of the rule that began it, such as an override. */
function boundsLine(bounds: AskedBounds, { steps }: Pick<DryDecision, 'steps'>): string {
  const given = Object.entries(bounds).flatMap(([name, count]) =>
    count === undefined ? [] : [`${name} ${count}`],
  );
  const last = steps.findLast(({ before, after }) => before !== after);
  const rule =
    last === undefined
      ? 'no rule changes the count'
      : `the last rule to change the count is ${last.rule}: ${last.before ?? '?'} → ${last.after ?? '?'}`;
  return `with ${given.join(' and ') || 'the bounds as they are'}; ${rule}\n\n`;
}
