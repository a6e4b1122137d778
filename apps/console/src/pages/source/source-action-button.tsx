import type { ReactElement } from 'react';
import { ActionButton } from '../../components/actions/action-button.tsx';
import { ActionDialog } from '../../components/actions/action-dialog.tsx';
import type { Forbidden, RequiredRole } from '../../components/actions/required-role.ts';
import { sources as texts } from '../../messages/sources.ts';
import type { SourceHeadFragment } from './source.generated.ts';
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
  viewerRoles,
  refusal,
  isPrimary = false,
  onDone,
}: ButtonProps): ReactElement {
  const requires: RequiredRole = {
    role: roles[action.kind],
    ...('namespace' in action
      ? { namespaces: [action.namespace] }
      : { place: texts.itsNamespaces, roles: viewerRoles }),
  };
  const shown = { title: texts.actions[action.kind], requires, refusal };
  return (
    <ActionButton
      {...shown}
      isPrimary={isPrimary}
      dialog={
        <ActionDialog
          {...shown}
          // Nothing is changed by a look, and the API takes no reason for one.
          hasReason={action.kind !== 'sync'}
          actions={[actionOn(action)]}
          actionKey={JSON.stringify(action)}
          onSent={onDone}
        />
      }
    />
  );
}

interface ButtonProps {
  readonly action: SourceAction;
  /** The roles that the caller has in all that the source is about; absent: what is done is about a part of it. */
  readonly viewerRoles?: SourceHeadFragment['viewerRoles'] | undefined;
  /** Why the caller may not, beside its role. */
  readonly refusal?: Forbidden | undefined;
  readonly isPrimary?: boolean;
  /** Something may have changed. */
  readonly onDone: () => void;
}
