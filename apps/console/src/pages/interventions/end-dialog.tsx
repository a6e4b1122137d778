import type { ReactElement } from 'react';
import { ActionDialog } from '../../components/action-dialog.tsx';
import type { RequiredRole } from '../../components/required-role.ts';
import { interventions as texts } from '../../messages/interventions.ts';
import { type EndedIntervention, ending } from './intervention-requests.ts';
import { operatorOf } from './intervention-scope.ts';

interface EndDialogProps {
  readonly interventions: readonly EndedIntervention[];
  /** Something may have changed. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Ends interventions before their time. */
export function EndDialog({ interventions, onDone, onClose }: EndDialogProps): ReactElement {
  return (
    <ActionDialog
      title={interventions.length === 1 ? texts.end : texts.endSeveral(interventions.length)}
      requires={enderOf(interventions)}
      actions={interventions.map(ending)}
      actionKey={JSON.stringify(interventions.map(({ id }) => id))}
      onSent={onDone}
      onClose={onClose}
    />
  );
}

/** Who may end all of them; where none names a namespace, the server is to say. */
export function enderOf(interventions: readonly EndedIntervention[]): RequiredRole {
  const scopes = interventions.map(({ scope }) => operatorOf(scope));
  const namespaces = scopes.flatMap((required) => ('namespaces' in required ? required.namespaces : []));
  return namespaces.length === 0 && scopes[0] !== undefined ? scopes[0] : { role: 'operator', namespaces };
}
