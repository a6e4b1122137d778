import type { JsonObject } from '#kernel';
import { plainHpa, plainHpaManifest } from '../hpa/plain-hpa.ts';
import type { ReconcileOptions } from '../pass/pass.ts';
import type { NativeAutoscalerListing } from '../ports/native-autoscalers.port.ts';
import { type Leaving, type Presence, presenceOf, whyNotWritten } from './plan-leave.ts';

/** What is to be expected where a target is left, by what is known now. */
export interface LeaveForesight {
  /** The plain HPA, to apply; null: none is wanted, or none does what the policy says. */
  readonly manifest: JsonObject | null;
  /** What the HPA does not say, or why there is none, in sentences. */
  readonly gaps: readonly string[];
  /** What carries the target on, in words that follow the policy's name and `gone`. */
  readonly rest: string;
}

interface Foreseeing {
  readonly listing: NativeAutoscalerListing;
  readonly options: Pick<ReconcileOptions, 'mode' | 'namespaces'>;
}

/** What leaving a target will come to, as far as the watch has its HPAs. Pure. */
export function foreseeLeave({ policy, to }: Leaving, { listing, options }: Foreseeing): LeaveForesight {
  const all = listing.state === 'Synced' ? listing.autoscalers : [];
  const named = all.find(({ name }) => name === policy.name) ?? null;
  const presence = presenceOf({ policy, to }, { named, all });
  const unwritable = whyNotWritten(options, policy);
  if (to === 'None') return { manifest: null, gaps: [], rest: restWithout(presence, unwritable) };
  const { spec, gaps: differences } = plainHpa(policy);
  const unseen =
    listing.state === 'Synced' ? [] : [`whether an HPA scales it is not known: ${listing.message}`];
  const gaps = isUnwanted(presence) ? [presence.message] : [...differences, ...unseen];
  const manifest = spec === null || isUnwanted(presence) ? null : plainHpaManifest(policy, spec);
  return { manifest, gaps, rest: restWithHpa({ presence, unwritable, manifest, gaps }) };
}

/** Whether an HPA to apply would fight with one that is there, or replace it. */
function isUnwanted(presence: Presence): presence is Extract<Presence, { readonly message: string }> {
  return presence.kind === 'NameTaken' || (presence.kind === 'Carried' && !presence.isNamesake);
}

function restWithout(presence: Presence, unwritable: string | null): string {
  if ('message' in presence) return `: ${presence.message}`;
  if (presence.kind === 'Absent') return ': its count stays';
  return unwritable === null ? ': its HPA is deleted, and its count stays' : `: ${unwritable}`;
}

function restWithHpa({
  presence,
  unwritable,
  manifest,
  gaps,
}: Pick<LeaveForesight, 'manifest' | 'gaps'> & {
  readonly presence: Presence;
  readonly unwritable: string | null;
}): string {
  if (presence.kind === 'Carried') return `: ${presence.message}`;
  if ('message' in presence) return `, without an HPA: ${presence.message}`;
  const isNoneMade = presence.kind === 'Absent' && manifest === null;
  if (unwritable !== null && !isNoneMade) return `: ${unwritable}`;
  const hpa = isNoneMade ? 'without an HPA' : manifest === null ? 'to its HPA as it is' : 'to a plain HPA';
  return `, ${hpa}${gaps.length === 0 ? '' : `: ${gaps.join('; ')}`}`;
}
