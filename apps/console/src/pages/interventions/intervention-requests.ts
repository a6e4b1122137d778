import { act } from '../../api/act.ts';
import type { Action, ActionForm } from '../../components/actions/action-requests.ts';
import type { InterventionKind, Role, ScalingDirection } from '../../schema.generated.ts';
import { type InterventionScope, scopeText } from './intervention-scope.ts';
import {
  EndDryRunDocument,
  EndOverrideDocument,
  EndSuspensionDocument,
  StartDryRunDocument,
  SuspendScalingDocument,
} from './interventions.generated.ts';

/** What may begin of any scope. */
export type ScopedIntervention =
  { readonly kind: 'suspend'; readonly direction: ScalingDirection } | { readonly kind: 'dryRun' };

/** An intervention that stands, as far as its end needs it. */
export interface EndedIntervention {
  readonly id: string;
  readonly kind: InterventionKind;
  readonly scope: InterventionScope;
  /** The roles that the caller has in all that it is for. */
  readonly viewerRoles: readonly Role[];
}

/** The beginning of an intervention on all policies of a scope. */
export function beginning(scope: InterventionScope, intervention: ScopedIntervention): Action {
  return { name: scopeText(scope), send: async (form) => begin(scope, intervention, form) };
}

async function begin(
  { kind: scope, ...names }: InterventionScope,
  intervention: ScopedIntervention,
  form: ActionForm,
): ReturnType<Action['send']> {
  return intervention.kind === 'suspend'
    ? act(SuspendScalingDocument, { scope, ...names, direction: intervention.direction, ...form })
    : act(StartDryRunDocument, { scope, ...names, ...form });
}

/** The end of an intervention before its time. */
export function ending({ id, kind, scope }: EndedIntervention): Action {
  return {
    name: scopeText(scope),
    send: async ({ dryRun, reason, confirm }) => act(endings[kind], { id, dryRun, reason, confirm }),
  };
}

const endings = {
  Suspend: EndSuspensionDocument,
  Override: EndOverrideDocument,
  DryRun: EndDryRunDocument,
} as const;
