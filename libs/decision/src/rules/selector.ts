import { labelSelectorFault } from '#kernel';
import { type Evaluation, note, type RuleOutcome } from '../evaluation/evaluation.ts';

/** Without a selector, or with one that other policies' pods share, the pods are not known to be the target's. */
export function selector(evaluation: Evaluation): RuleOutcome {
  const { observation, selectorText } = evaluation;
  if (selectorText === '')
    return refuse(evaluation, 'InvalidSelector', "the HPA target's scale is missing a selector");
  const fault = labelSelectorFault(selectorText);
  if (fault !== undefined) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${fault}`;
    return refuse(evaluation, 'InvalidSelector', message);
  }
  const competing = observation.competingPolicies ?? [];
  const isShared = competing.length > 0 && evaluation.selection.effective === 'LabelSelector';
  if (!isShared || evaluation.policy.sharedSelectorAllowed) return 'next';
  const others = competing.toSorted().slice(0, 10).join(', ');
  const message = `pods by selector ${selectorText} are controlled by multiple HPAs: ${others}`;
  return refuse(evaluation, 'AmbiguousSelector', message);
}

function refuse(
  evaluation: Evaluation,
  reason: 'InvalidSelector' | 'AmbiguousSelector',
  message: string,
): RuleOutcome {
  evaluation.conditions.set('ScalingActive', { status: 'False', reason, message });
  evaluation.isUndecided = true;
  evaluation.reason =
    reason === 'InvalidSelector'
      ? 'The selector of the scale is invalid'
      : 'The selector is shared with other policies';
  note(evaluation, 'selector', message);
  return 'conclude';
}
