import { namespacedName } from '#kernel';
import { isRendered } from '#reconciliation';
import { type Admission, type DocumentInForce, identityKey, keepsWhatItOwns } from '#repository';
import type { LeavingPolicy, PolicyComings } from './validation-report.ts';

/**
 * Finds the policies that an admission brings into force and those that it takes out of it, of the files that are selected.
 * Of a tenant that does not advance everything stays as it is.
 */
export function findComings(
  { admission }: { readonly admission: Admission },
  inForce: readonly DocumentInForce[],
  isSelected: (file: string) => boolean,
): PolicyComings {
  const before = new Map(
    inForce.flatMap((each) => (each.policy === undefined ? [] : [[identityKey(each.source), each] as const])),
  );
  const resulting = admission.tenants.flatMap(({ policies }) => policies);
  const after = new Set(resulting.map(({ source }) => identityKey(source)));
  const added = resulting.filter(({ source }) => !before.has(identityKey(source)) && isSelected(source.file));
  const gone = [...before].filter(([policy, { source }]) => !after.has(policy) && isSelected(source.file));
  return {
    new: added.map(({ policy }) => namespacedName(policy)).sort(),
    leaving: gone
      .map(([policy, active]): LeavingPolicy => ({ policy, hpa: hpaOf(active, admission.released) }))
      .sort((one, other) => (one.policy < other.policy ? -1 : 1)),
  };
}

/** What several trees come to. */
export function joined(comings: readonly PolicyComings[]): PolicyComings {
  return {
    new: comings.flatMap((each) => each.new),
    leaving: comings.flatMap((each) => each.leaving),
  };
}

function hpaOf({ source, policy }: DocumentInForce, released: ReadonlySet<string>): LeavingPolicy['hpa'] {
  if (policy === undefined || policy.dryRun || !isRendered(policy)) return 'None';
  return keepsWhatItOwns(source) || released.has(identityKey(source)) ? 'Kept' : 'Deleted';
}

/** As many are named in a line; JSON has them all. */
const maximumNamed = 10;

/** `leaves: shop/gateway (its HPA is deleted)`, a line for those that leave and one for those that are new. */
export function comingsLines(comings: PolicyComings | undefined): readonly string[] {
  if (comings === undefined) return [];
  const leaving = comings.leaving.map(({ policy, hpa }) => `${policy}${hpaTexts[hpa]}`);
  return [...named('new', comings.new), ...named('leaving', leaving)];
}

const hpaTexts: Readonly<Record<LeavingPolicy['hpa'], string>> = {
  Deleted: ' (its HPA is deleted)',
  Kept: ' (its HPA is kept)',
  None: '',
};

function named(what: string, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const others = texts.length - maximumNamed;
  const more = others > 0 ? ` and ${others} more (--format json has them all)` : '';
  return [`${what}: ${texts.slice(0, maximumNamed).join(', ')}${more}`];
}
