import type { ReactElement } from 'react';
import { ActionButton } from '../../components/action-button.tsx';
import type { Forbidden } from '../../components/required-role.ts';
import { sources as texts } from '../../messages/sources.ts';
import { actionOn, type SourceAction } from './source-requests.ts';

const roles = {
  sync: 'operator',
  resume: 'approver',
  approve: 'approver',
  reject: 'approver',
  rollBack: 'operator',
  resumePolicy: 'approver',
} as const;

/** An action on a source. */
export function SourceActionButton({
  action,
  refusal,
  isPrimary = false,
  onDone,
}: ButtonProps): ReactElement {
  return (
    <ActionButton
      title={texts.actions[action.kind]}
      isPrimary={isPrimary}
      refusal={refusal}
      requires={{
        role: roles[action.kind],
        ...('namespace' in action ? { namespaces: [action.namespace] } : { place: texts.itsNamespaces }),
      }}
      // Nothing is changed by a look, and the API takes no reason for one.
      hasReason={action.kind !== 'sync'}
      actions={[actionOn(action)]}
      actionKey={JSON.stringify(action)}
      onSent={onDone}
    />
  );
}

interface ButtonProps {
  readonly action: SourceAction;
  /** Why the caller may not, beside its role. */
  readonly refusal?: Forbidden | undefined;
  readonly isPrimary?: boolean;
  /** Something may have changed. */
  readonly onDone: () => void;
}
