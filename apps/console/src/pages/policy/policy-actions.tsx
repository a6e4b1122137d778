import { type ReactElement, useState } from 'react';
import { ActionButton } from '../../components/actions/action-button.tsx';
import { ActionDialog, type ActionDialogProps } from '../../components/actions/action-dialog.tsx';
import { ForbiddenNote } from '../../components/actions/forbidden-note.tsx';
import type { RequiredRole } from '../../components/actions/required-role.ts';
import { policy as texts } from '../../messages/policy.ts';
import type { ScalingDirection } from '../../schema.generated.ts';
import { DirectionField } from '../interventions/direction-field.tsx';
import {
  type OverriddenCounts,
  type PolicyAction,
  policyActions,
  type PolicyToActOn,
} from './policy-requests.ts';

import './policy.css';

/** What can be done to a policy, or to several at once. */
export const policyActionKinds = ['suspend', 'override', 'dryRun', 'release'] as const;
export type PolicyActionKind = (typeof policyActionKinds)[number];

interface ActionsProps {
  readonly policies: readonly PolicyToActOn[];
  /** Something may have changed. */
  readonly onDone: () => void;
}

interface PolicyActionsProps extends ActionsProps {
  readonly offered?: readonly PolicyActionKind[];
  readonly isDisabled?: boolean;
}

/** A button for each thing that can be done to the policies. */
export function PolicyActions({
  policies,
  onDone,
  offered = policyActionKinds,
  isDisabled = false,
}: PolicyActionsProps): ReactElement {
  return (
    <div className="policy-actions" role="group" aria-label={texts.actions.label}>
      {offered.map((kind) => (
        <ActionButton
          key={kind}
          {...shownOf(kind, policies)}
          label={texts.actions.short[kind]}
          isDisabled={isDisabled}
          dialog={<PolicyActionDialog kind={kind} policies={policies} onDone={onDone} />}
        />
      ))}
    </div>
  );
}

/** Which of the actions the caller's role forbids, and who could; nothing where it forbids none. */
export function ForbiddenPolicyActions({
  policies,
  offered = policyActionKinds,
}: Pick<PolicyActionsProps, 'policies' | 'offered'>): ReactElement {
  const of = (['operator', 'approver'] as const).map((role) => ({
    titles: offered.filter((kind) => roles[kind] === role).map((kind) => texts.actions.short[kind]),
    requires: requiredOf(role, policies),
  }));
  return <ForbiddenNote of={of.filter(({ titles }) => titles.length > 0)} />;
}

const roles = { suspend: 'operator', override: 'operator', dryRun: 'operator', release: 'approver' } as const;

function requiredOf(role: RequiredRole['role'], policies: readonly PolicyToActOn[]): RequiredRole {
  return { role, namespaces: policies.map(({ namespace }) => namespace) };
}

function shownOf(
  kind: PolicyActionKind,
  policies: readonly PolicyToActOn[],
): Pick<ActionDialogProps, 'title' | 'requires'> {
  return { title: texts.actions[kind], requires: requiredOf(roles[kind], policies) };
}

/** Of 32 bits, as everywhere in Kubernetes. */
const maximumCount = 2_147_483_647;

const none: OverriddenCounts = { minReplicas: null, maxReplicas: null, replicas: null };

function PolicyActionDialog({ kind, policies, onDone }: PolicyActionDialogProps): ReactElement {
  const [direction, setDirection] = useState<ScalingDirection>('Both');
  const [counts, setCounts] = useState<OverriddenCounts>(none);
  const action = actionOf(kind, direction, counts);
  return (
    <ActionDialog
      {...shownOf(kind, policies)}
      hasExpiry={kind !== 'release'}
      missing={missingOf(action)}
      actions={policyActions(policies, action)}
      actionKey={JSON.stringify(action)}
      onSent={onDone}
    >
      {kind === 'suspend' ? <DirectionField value={direction} onChange={setDirection} /> : null}
      {kind === 'override' ? <CountFields value={counts} onChange={setCounts} /> : null}
    </ActionDialog>
  );
}

interface PolicyActionDialogProps extends ActionsProps {
  readonly kind: PolicyActionKind;
}

function actionOf(
  kind: PolicyActionKind,
  direction: ScalingDirection,
  counts: OverriddenCounts,
): PolicyAction {
  if (kind === 'suspend') return { kind, direction };
  return kind === 'override' ? { kind, counts } : { kind };
}

function missingOf(action: PolicyAction): string | undefined {
  if (action.kind !== 'override') return undefined;
  const counts = countFields.map(([field]) => action.counts[field]).filter((count) => count !== null);
  if (counts.length === 0) return texts.actions.noCount;
  return counts.every((count) => isCount(count)) ? undefined : texts.actions.badCount;
}

/** Whether the API has a number for it. */
function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 0 && count <= maximumCount;
}

interface FieldProps<T> {
  readonly value: T;
  readonly onChange: (value: T) => void;
}

const countFields = [
  ['minReplicas', texts.actions.minimum],
  ['maxReplicas', texts.actions.maximum],
  ['replicas', texts.actions.exact],
] as const;

function CountFields({ value, onChange }: FieldProps<OverriddenCounts>): ReactElement {
  return (
    <fieldset className="policy-counts">
      <legend className="quiet">{texts.actions.leave}</legend>
      {countFields.map(([field, title]) => (
        <label key={field} className="labelled">
          {title}
          <input
            className="field"
            type="number"
            min={0}
            step={1}
            value={value[field] ?? ''}
            onChange={({ target }) =>
              onChange({ ...value, [field]: target.value === '' ? null : target.valueAsNumber })
            }
          />
        </label>
      ))}
    </fieldset>
  );
}
