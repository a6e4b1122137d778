import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { common } from '../../messages/common.ts';

/** A dialog over the page. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** A click beside it closes it, and so does Escape at once; not where something is typed into it. */
  readonly isDismissable?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** Takes the focus, gives it back, and closes with Escape; where something was typed into it, with the second one. */
export function Dialog({
  title,
  onClose,
  isDismissable = true,
  isWide = false,
  children,
}: DialogProps): ReactElement {
  const { isKept, isSaid, ...noticed } = useTyped(!isDismissable);
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={isKept}
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
    >
      <Modal className={isWide ? 'dialog dialog-wide' : 'dialog'}>
        <AriaDialog className="dialog-body">
          <header className="dialog-header">
            <Heading slot="title">{title}</Heading>
            <button type="button" className="icon-button" aria-label={common.close} onClick={onClose}>
              ×
            </button>
          </header>
          <div className="dialog-content" {...noticed}>
            {children}
          </div>
          {isSaid ? <Said /> : null}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function Said(): ReactElement {
  const note = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // A dialog may be higher than the screen.
    note.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <p ref={note} className="notice" role="status">
      {common.typed}
    </p>
  );
}

/** What a dialog knows of what is typed into it, and what notices that in its content. */
interface Typed {
  /** Escape does not close it. */
  readonly isKept: boolean;
  /** It is said that the next Escape does. */
  readonly isSaid: boolean;
  readonly onInput: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Escape is a key that is hit by accident, and what is typed would be gone: the first one says so. */
function useTyped(isNoticed: boolean): Typed {
  const [state, setState] = useState<'Untouched' | 'Typed' | 'Said'>('Untouched');
  return {
    isKept: state === 'Typed',
    isSaid: state === 'Said',
    onInput: () => (isNoticed ? setState('Typed') : undefined),
    // The overlay decides by what was shown when the key was hit.
    onKeyDown: ({ key, nativeEvent: { isComposing } }) =>
      key === 'Escape' && !isComposing && state === 'Typed' ? setState('Said') : undefined,
  };
}
