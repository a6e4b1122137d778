import {
  admit,
  type Admission,
  type AdmissionInput,
  findHolds,
  type HoldInput,
  type ProposedHold,
} from '#policy';

import { brake, type BrakedHolds, type Brakes, type HoldMoment } from './brakes.ts';

/** An admission, and what it is braked by. */
export interface SettleInput {
  readonly input: AdmissionInput;
  /** What the input came to with nothing held back. */
  readonly first: Admission;
  readonly brakes: Brakes;
  readonly moment: HoldMoment;
  readonly holdInput: Omit<HoldInput, 'tenants' | 'diagnostics'>;
}

/**
 * Holds back what is held, and looks again at what then comes in force: a tenant that advances without a held root is
 * judged by the old one. Each turn holds back more, so the turns end. Pure.
 */
export function settleHolds(parts: SettleInput): {
  readonly admission: Admission;
  readonly braked: BrakedHolds;
} {
  const { input, brakes, moment, holdInput } = parts;
  let admission = parts.first;
  let proposed: readonly ProposedHold[] = [];
  let heldBack: ReadonlySet<string> = new Set();
  for (;;) {
    const { tenants, diagnostics } = admission;
    const found = findHolds({ ...holdInput, tenants, diagnostics });
    proposed = [...proposed, ...found.filter((hold) => isNew(hold, proposed, heldBack))];
    const braked = brake(brakes, proposed, moment);
    const held = braked.isSourceHeld ? tenants.map(({ tenant }) => tenant) : [...braked.heldTenants];
    if (held.every((tenant) => heldBack.has(tenant))) return { admission, braked };
    heldBack = new Set([...heldBack, ...held]);
    admission = admit({ ...input, heldBack });
  }
}

/** What is proposed already is not proposed twice, and what is held back is not held again. */
function isNew(
  { scope, causes, result }: ProposedHold,
  known: readonly ProposedHold[],
  heldBack: ReadonlySet<string>,
): boolean {
  if (scope.kind === 'Source') return !known.some((hold) => hold.scope.kind === 'Source');
  if (heldBack.has(scope.tenant)) return false;
  return !known.some(
    (hold) =>
      hold.scope.kind === 'Tenant' &&
      hold.scope.tenant === scope.tenant &&
      hold.result === result &&
      hold.causes.length === causes.length &&
      hold.causes.every(({ code }, index) => code === causes[index]?.code),
  );
}
