import type { ReactElement } from 'react';
import { ActionButton } from '../../components/actions/action-button.tsx';
import { ActionDialog } from '../../components/actions/action-dialog.tsx';
import { interventions as texts } from '../../messages/interventions.ts';
import { enderOf } from './ender-of.ts';
import { type EndedIntervention, ending } from './intervention-requests.ts';

interface EndButtonProps {
  readonly interventions: readonly EndedIntervention[];
  /** Something may have changed. */
  readonly onDone: () => void;
}

/** Ends interventions before their time. */
export function EndButton({ interventions, onDone }: EndButtonProps): ReactElement {
  const shown = {
    title: interventions.length === 1 ? texts.end : texts.endSeveral(interventions.length),
    requires: enderOf(interventions),
  };
  return (
    <ActionButton
      {...shown}
      dialog={
        <ActionDialog
          {...shown}
          actions={interventions.map(ending)}
          actionKey={JSON.stringify(interventions.map(({ id }) => id))}
          onSent={onDone}
        />
      }
    />
  );
}
