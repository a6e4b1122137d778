import { type ReactElement, type RefObject, useLayoutEffect, useRef } from 'react';
import { useOfferedAction } from '../../navigation/offered-actions.ts';
import { focusPage } from '../../navigation/page-focus.ts';
import { overPage } from '../../state/over-page.ts';
import type { ActionDialogProps } from './action-dialog.tsx';
import { useForbidden } from './required-role.ts';

interface ActionButtonProps extends Pick<ActionDialogProps, 'title' | 'requires' | 'refusal'> {
  /** A part of the title, where that is too long for a button. */
  readonly label?: string;
  readonly isPrimary?: boolean;
  readonly isDisabled?: boolean;
  /** What it opens: it is over the page, and stays as it was opened when the button goes. */
  readonly dialog: ReactElement;
}

/** The button of an action. What is forbidden has a lock, says why and who could, and can be asked about by a click. */
export function ActionButton(props: ActionButtonProps): ReactElement {
  const { title, label = title, requires, refusal, isPrimary = false, isDisabled = false, dialog } = props;
  const forbidden = useForbidden(requires) ?? refusal;
  const isForbidden = forbidden !== undefined;
  const open = (): void => overPage.set(dialog);
  useOfferedAction(title, open, !isDisabled);
  const button = useFocusLeft();
  return (
    <button
      ref={button}
      type="button"
      className={isPrimary && !isForbidden ? 'button button-primary' : 'button'}
      data-forbidden={isForbidden}
      disabled={isDisabled}
      aria-label={title}
      title={isForbidden ? `${forbidden.why} ${forbidden.whoCould}` : undefined}
      onClick={open}
    >
      {isForbidden ? <Lock /> : null}
      {label}
    </button>
  );
}

/** Of a button that goes with what it has done: the focus stays on the page. */
function useFocusLeft(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      if (current !== null && current === document.activeElement) focusPage();
    };
  }, []);
  return button;
}

/** Beside what a role forbids. */
export function Lock(): ReactElement {
  return (
    <svg className="lock" viewBox="0 0 10 12" width="0.625rem" height="0.75rem" aria-hidden="true">
      <path
        fillRule="evenodd"
        d="M1 5h.8V3.4a3.2 3.2 0 1 1 6.4 0V5H9v7H1ZM3.4 5h3.2V3.4a1.6 1.6 0 1 0-3.2 0Z"
      />
    </svg>
  );
}
