import { type ReactElement, useState } from 'react';
import type { ScalingDirection } from '../../api/schema.generated.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { policy as texts } from '../../messages/policy.ts';
import {
  carryOut,
  type OverriddenCounts,
  type PolicyAction,
  type PolicyToActOn,
  previewOf,
} from './policy-requests.ts';

const offered = ['suspend', 'override', 'dryRun', 'release'] as const;
type Offered = (typeof offered)[number];

const directions: readonly ScalingDirection[] = ['Both', 'Down', 'Up'];

interface ActionsProps {
  readonly policy: PolicyToActOn;
  /** Something may have changed. */
  readonly onDone: () => void;
}

/** What can be done to the policy. */
export function PolicyActions({ policy, onDone }: ActionsProps): ReactElement {
  const [open, setOpen] = useState<Offered | undefined>();
  const [direction, setDirection] = useState<ScalingDirection>('Both');
  const [counts, setCounts] = useState<OverriddenCounts>(none);
  const action = actionOf(open, direction, counts);
  return (
    <div className="policy-actions" role="group" aria-label={texts.actions.label}>
      {offered.map((kind) => (
        <button key={kind} type="button" className="button" onClick={() => setOpen(kind)}>
          {texts.actions[kind]}
        </button>
      ))}
      {action === undefined ? null : (
        <PolicyActionDialog
          policy={policy}
          action={action}
          onDone={onDone}
          onClose={() => setOpen(undefined)}
        >
          {action.kind === 'suspend' ? <DirectionField value={direction} onChange={setDirection} /> : null}
          {action.kind === 'override' ? <CountFields value={counts} onChange={setCounts} /> : null}
        </PolicyActionDialog>
      )}
    </div>
  );
}

const none: OverriddenCounts = { minReplicas: null, maxReplicas: null, replicas: null };

function actionOf(
  kind: Offered | undefined,
  direction: ScalingDirection,
  counts: OverriddenCounts,
): PolicyAction | undefined {
  if (kind === undefined) return undefined;
  if (kind === 'suspend') return { kind, direction };
  return kind === 'override' ? { kind, counts } : { kind };
}

/** Ends an intervention before its time. */
export function EndButton({ policy, intervention, onDone }: EndProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {texts.standing.end}
      </button>
      {isOpen ? (
        <PolicyActionDialog
          policy={policy}
          action={{ kind: 'end', intervention }}
          onDone={onDone}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

interface EndProps extends ActionsProps {
  readonly intervention: Extract<PolicyAction, { kind: 'end' }>['intervention'];
}

function PolicyActionDialog({ policy, action, onDone, onClose, children }: DialogProps): ReactElement {
  const hasExpiry = action.kind !== 'release' && action.kind !== 'end';
  return (
    <ActionDialog
      title={texts.actions[action.kind]}
      requires={{ role: action.kind === 'release' ? 'approver' : 'operator', namespace: policy.namespace }}
      hasExpiry={hasExpiry}
      previewKey={JSON.stringify(action)}
      preview={async (expires) => previewOf(policy, action, expires)}
      carryOut={async (request) => {
        const result = await carryOut(policy, action, request);
        onDone();
        return result;
      }}
      onClose={onClose}
    >
      {children}
    </ActionDialog>
  );
}

interface DialogProps extends ActionsProps {
  readonly action: PolicyAction;
  readonly onClose: () => void;
  readonly children?: React.ReactNode;
}

function DirectionField({ value, onChange }: FieldProps<ScalingDirection>): ReactElement {
  return (
    <label className="labelled">
      {texts.actions.direction}
      <select
        className="field"
        value={value}
        onChange={({ target }) => onChange(directions.find((each) => each === target.value) ?? 'Both')}
      >
        {directions.map((each) => (
          <option key={each} value={each}>
            {texts.directions[each]}
          </option>
        ))}
      </select>
    </label>
  );
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
