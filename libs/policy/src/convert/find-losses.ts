import type { FieldChange } from '../diff/compare-documents.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';

/** A value that a converted document does not have as it was. */
export interface Loss {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** What of a policy's effective values changed, for a person. The kind is meant to. */
export function lossesOf(policy: EffectivePolicy, changes: readonly FieldChange[]): readonly Loss[] {
  const losses: Loss[] = [];
  const values = changes.filter(({ path }) => path !== 'kind');
  const behavior = values.filter(({ path }) => path === 'behavior' || path.startsWith('behavior.'));
  if (behavior.length > 0 && policy.kind === 'HorizontalPodAutoscaler' && !policy.behavior.isSet)
    losses.push(noBehavior);

  for (const change of values) {
    if (losses.includes(noBehavior) && behavior.includes(change)) continue;
    losses.push(change.path === 'sharedSelectorAllowed' ? sharedSelector : lossOf(change));
  }
  return losses;
}

const noBehavior: Loss = {
  path: ['spec', 'behavior'],
  message:
    'the native kind cannot say "no behavior": it is rendered with scaleDown.stabilizationWindowSeconds 300, ' +
    'and scales up by 4 pods or 100 % in 15 s',
  hint: 'write the behavior that is meant, or keep the HorizontalPodAutoscaler document',
};

const sharedSelector: Loss = {
  path: ['metadata', 'annotations', 'wpa.datadoghq.com/skip-owner-check'],
  message: 'skip-owner-check also allowed a selector that other policies share: the native kind holds there',
  hint: 'give the workloads selectors of their own',
};

function lossOf({ path, before, after }: FieldChange): Loss {
  const [field = ''] = path.split(/[.[]/);
  const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return { path: ['spec', field], message: `${path} becomes ${shown(after)}, was ${shown(before)}` };
}
