import type { DecideInput } from '../model/decide-input.ts';
import type { FilteredPod } from '../model/decision.ts';
import type { SelectionReport } from '../model/decision.ts';
import type { ObservedPod, ObservedScale } from '../model/observation.ts';
import { compareCodePoints } from './compare-code-points.ts';
import { createOwnerFilter } from './create-owner-filter.ts';

/** The pods that metrics look at, sorted by name, and those that selection left out. */
export interface SelectedPods {
  readonly pods: readonly ObservedPod[];
  /** Names of `pods`, in the same order. */
  readonly names: readonly string[];
  readonly filteredOut: readonly FilteredPod[];
  /** Whether samples of pods that are not in `pods` count, as upstream counts superfluous ones. */
  readonly isFiltered: boolean;
}

/**
 * Which strategy is in force. The gate makes it LabelSelector; a failed owner lookup falls back to it, since a partial
 * filter would drop pods that may belong to the target.
 */
export function reportSelection({ policy, settings, observation }: DecideInput): SelectionReport {
  const requested = policy.selectionStrategy;
  const { owners } = observation;
  if (requested === 'LabelSelector' || !settings.featureGates.SelectionStrategy)
    return { requested, effective: 'LabelSelector', fallback: null };
  if (owners === null || owners === undefined || !('error' in owners))
    return { requested, effective: 'OwnerReference', fallback: null };
  return {
    requested,
    effective: 'LabelSelector',
    fallback: {
      reason: owners.error.reason ?? 'OwnerLookupFailed',
      message: owners.error.message ?? 'no message',
    },
  };
}

/** The label-matched pods that the effective strategy keeps, sorted by name. */
export function selectPods(input: DecideInput, selection: SelectionReport): SelectedPods {
  const listed = sortByName(input.observation.pods ?? []);
  if (selection.effective === 'LabelSelector')
    return { pods: listed, names: listed.map(({ name }) => name), filteredOut: none, isFiltered: false };
  const refuse = createOwnerFilter(input);
  const pods: ObservedPod[] = [];
  const filteredOut: FilteredPod[] = [];
  for (const pod of listed) {
    const reason = refuse(pod);
    if (reason === null) pods.push(pod);
    else filteredOut.push({ pod: pod.name, reason });
  }
  return { pods, names: pods.map(({ name }) => name), filteredOut, isFiltered: true };
}

const none: readonly never[] = [];

/** Whether the scale could be read. */
export function isReadable(scale: DecideInput['observation']['scale']): scale is ObservedScale {
  return scale.error === undefined || scale.error === null;
}

/** Surrogates, the only characters that UTF-16 orders differently than code points. */
const surrogate = /[\ud800-\udfff]/;

/** As listed where that is the order already, which the language's own comparison finds out fastest. */
function sortByName(pods: readonly ObservedPod[]): readonly ObservedPod[] {
  let previous = '';
  let isSorted = true;
  for (const { name } of pods) {
    isSorted &&= previous <= name && !surrogate.test(name);
    previous = name;
  }
  if (isSorted) return pods;
  return pods.toSorted((a, b) => compareCodePoints(a.name, b.name));
}
