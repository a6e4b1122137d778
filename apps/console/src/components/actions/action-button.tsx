import { type ReactElement, useState } from 'react';
import { closeOverPage, overPage } from '../../state/over-page.ts';
import { ActionDialog, type ActionDialogProps } from './action-dialog.tsx';
import { ActionTrigger } from './action-trigger.tsx';

interface ActionButtonProps extends Omit<ActionDialogProps, 'onClose'> {
  /** A part of the title, where that is too long for a button. */
  readonly label?: string;
  readonly isPrimary?: boolean;
  readonly isDisabled?: boolean;
}

/** A button that says what an action would do, asks for a reason, and does it. */
export function ActionButton(props: ActionButtonProps): ReactElement {
  const { label, isPrimary = false, isDisabled = false, ...dialog } = props;
  const [isOpen, setOpen] = useState(false);
  // Fields of the action's own are kept beside the button, and go with it.
  const open = (): void =>
    dialog.children === undefined
      ? overPage.set(<ActionDialog {...dialog} onClose={closeOverPage} />)
      : setOpen(true);
  return (
    <>
      <ActionTrigger
        title={dialog.title}
        label={label}
        requires={dialog.requires}
        refusal={dialog.refusal}
        isPrimary={isPrimary}
        isDisabled={isDisabled}
        onClick={open}
      />
      {isOpen ? <ActionDialog {...dialog} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
