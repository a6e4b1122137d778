import type { ReactElement } from 'react';
import { ActionDialog } from '../../components/actions/action-dialog.tsx';
import { interventions as texts } from '../../messages/interventions.ts';
import { enderOf } from './ender-of.ts';
import { type EndedIntervention, ending } from './intervention-requests.ts';

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
