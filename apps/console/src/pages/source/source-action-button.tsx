import { type ReactElement, useState } from 'react';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { sources as texts } from '../../messages/sources.ts';
import { carryOut, previewOf, type SourceAction } from './source-requests.ts';

const roles = {
  sync: 'operator',
  resume: 'approver',
  approve: 'approver',
  reject: 'approver',
  rollBack: 'operator',
} as const;

/** A button that says what the action would do, asks for a reason, and does it. */
export function SourceActionButton({ action, isPrimary = false, onDone }: ButtonProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const title = texts.actions[action.kind];
  return (
    <>
      <button
        type="button"
        className={isPrimary ? 'button button-primary' : 'button'}
        onClick={() => setOpen(true)}
      >
        {title}
      </button>
      {isOpen ? (
        <ActionDialog
          title={title}
          requires={{ role: roles[action.kind], namespace: null }}
          preview={async () => previewOf(action)}
          carryOut={async (request) => {
            const result = await carryOut(action, request);
            onDone();
            return result;
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

interface ButtonProps {
  readonly action: SourceAction;
  readonly isPrimary?: boolean;
  /** Something may have changed. */
  readonly onDone: () => void;
}
