import { parseLabelSelector } from '#kernel';
import { note, type Pass, type Verdict } from '../pass/pass.ts';
import { isReadable } from '../selection/select-pods.ts';

/** Without a selector, or with one that other policies' pods share, the pods are not known to be the target's. */
export function selector(pass: Pass): Verdict {
  const { observation } = pass;
  const text = isReadable(observation.scale) ? (observation.scale.selector ?? '') : '';
  if (text === '') return refuse(pass, 'InvalidSelector', "the HPA target's scale is missing a selector");
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${parsed.error}`;
    return refuse(pass, 'InvalidSelector', message);
  }
  const competing = observation.competingPolicies ?? [];
  const isShared = competing.length > 0 && pass.selection.effective === 'LabelSelector';
  if (!isShared || pass.policy.sharedSelectorAllowed) return 'next';
  const others = competing.toSorted().slice(0, 10).join(', ');
  const message = `pods by selector ${text} are controlled by multiple HPAs: ${others}`;
  return refuse(pass, 'AmbiguousSelector', message);
}

function refuse(pass: Pass, reason: 'InvalidSelector' | 'AmbiguousSelector', message: string): Verdict {
  pass.conditions.set('ScalingActive', { status: 'False', reason, message });
  pass.hold =
    reason === 'InvalidSelector'
      ? 'The selector of the scale is invalid'
      : 'The selector is shared with other policies';
  note(pass, 'selector', message);
  return 'conclude';
}
