import { runInTimeSlices } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { ClockPort } from '#reconciliation';
import {
  type Admission,
  type AdmissionInput,
  admitInSteps,
  type DocumentInForce,
  findHoldsInSteps,
  type HoldInput,
  type ProposedHold,
  proposeHold,
} from '#repository';
import type { Approvals } from '../holds/approvals.ts';
import { type HoldMoment, type ResolvedHolds, resolveHolds } from '../holds/resolve-holds.ts';

/** An admission with what is held kept back. */
export interface HeldAdmission {
  readonly admission: Admission;
  readonly holds: ResolvedHolds;
}

/** An admission, and what it is compared with. */
export interface ApplyHoldsInput {
  readonly input: AdmissionInput;
  /** What the input came to with nothing held back. */
  readonly first: Admission;
  readonly approvals: Approvals;
  readonly moment: HoldMoment;
  readonly holdInput: Omit<HoldInput, 'tenants' | 'read'>;
  /** Lets the loop serve others while ten thousand policies are named. */
  readonly clock: ClockPort;
}

/**
 * Holds back what is held, and looks again at what then comes in force: a tenant that advances without a held root is
 * judged by the old one. Each turn holds back more, so the turns end.
 */
export async function applyHolds(request: ApplyHoldsInput): Promise<HeldAdmission> {
  const { input, approvals, moment, holdInput, clock } = request;
  const { digests } = holdInput;
  const read = { reading: input.reading, path: input.options.path };
  let admission = request.first;
  let proposed: readonly ProposedHold[] = [];
  let heldBack: ReadonlySet<string> = new Set();
  for (;;) {
    const { tenants, released } = admission;
    const steps = findHoldsInSteps({ ...holdInput, tenants, read, released });
    const found = await runInTimeSlices(steps, clock, 'sync: looking for holds');
    if (found.length > 0)
      await runInTimeSlices(digests.inSteps(policiesOf(tenants)), clock, 'sync: digesting what is held');
    const proposals = found.map((each) => proposeHold(each, { tenants, digests }));
    proposed = [...proposed, ...proposals.filter((hold) => isNew(hold, proposed, heldBack))];
    const holds = resolveHolds(approvals, proposed, moment);
    if (holds.isSourceHeld)
      return { admission: withNothingAdvancing(admission, input.inForce.documents), holds };
    if ([...holds.heldTenants].every((tenant) => heldBack.has(tenant))) return { admission, holds };
    heldBack = new Set([...heldBack, ...holds.heldTenants]);
    const again = admitInSteps({ ...input, heldBack });
    admission = await runInTimeSlices(again, clock, 'sync: comparing with what is in force');
  }
}

function policiesOf(tenants: Admission['tenants']): readonly EffectivePolicy[] {
  return tenants.flatMap(({ policies }) => policies.map(({ policy }) => policy));
}

/** Of a held source nothing advances, and what is in force stays as it is. */
function withNothingAdvancing(admission: Admission, inForce: readonly DocumentInForce[]): Admission {
  const active = Map.groupBy(inForce, ({ source }) => source.tenant);
  return {
    ...admission,
    tenants: admission.tenants.map(({ tenant, status }) => {
      const documents = active.get(tenant) ?? [];
      return {
        tenant,
        status: status === 'Rejected' ? status : 'HeldBack',
        policies: documents.flatMap(({ source, policy, document }) =>
          policy === undefined || document === undefined ? [] : [{ source, policy, document }],
        ),
        documents: documents.map(({ source }) => source),
        gone: [],
      };
    }),
  };
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
