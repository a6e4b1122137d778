import type { ReactElement, ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { common } from '../../messages/common.ts';

/** A dialog over the page. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** A click beside it closes it; not where something was typed into it. */
  readonly isDismissable?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** Takes the focus, gives it back, and closes with Escape. */
export function Dialog({
  title,
  onClose,
  isDismissable = true,
  isWide = false,
  children,
}: DialogProps): ReactElement {
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={isDismissable}
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
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
