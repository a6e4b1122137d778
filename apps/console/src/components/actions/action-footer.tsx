import { type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { actions as texts } from '../../messages/actions.ts';
import { common } from '../../messages/common.ts';
import { closeOverPage } from '../../state/over-page.ts';
import { SubmitButton } from '../frames/submit-button.tsx';

interface ActionFooterProps {
  readonly title: string;
  readonly isBusy: boolean;
  readonly isReady: boolean;
}

/** Carries the action out, or leaves it; what was sent is not called back by leaving. */
export function ActionFooter({ title, isBusy, isReady }: ActionFooterProps): ReactElement {
  const leave = useRef<HTMLButtonElement>(null);
  // What was sent, and would do something else by now, disables the button that was pressed: the dialog keeps its keys.
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isPressed = activeElement === leave.current?.nextElementSibling;
    if (!isReady && isPressed) leave.current?.focus();
  }, [isReady]);
  return (
    <>
      {isBusy ? <UnderWay /> : null}
      <footer className="dialog-footer">
        <button ref={leave} type="button" className="button" onClick={closeOverPage}>
          {isBusy ? common.close : texts.cancel}
        </button>
        <SubmitButton isBusy={isBusy} isDisabled={!isReady}>
          {title}
        </SubmitButton>
      </footer>
    </>
  );
}

/** Most actions are done before it is worth a word. */
const underWayMilliseconds = 2_000;

/** Says of what takes its time that it goes on by itself. */
function UnderWay(): ReactElement {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), underWayMilliseconds);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="quiet" role="status">
      {isLong ? texts.underWay : null}
    </p>
  );
}
