import type { ReactElement, ReactNode } from 'react';

interface SubmitButtonProps {
  /** What was sent is under way, and is not sent again. */
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** Sends a form. While it is busy it keeps the focus: a disabled button loses it, and a dialog its keys with it. */
export function SubmitButton({ isBusy, isDisabled = false, children }: SubmitButtonProps): ReactElement {
  return (
    <button
      type="submit"
      className="button button-primary"
      disabled={isDisabled}
      aria-disabled={isBusy}
      onClick={isBusy ? (event) => event.preventDefault() : undefined}
    >
      {children}
    </button>
  );
}
