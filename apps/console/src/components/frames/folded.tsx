import { type ReactElement, type ReactNode, useId, useState } from 'react';

/** What is in the way on a telephone. */
export interface FoldedProps {
  /** What the button says, with how much of it is in force. */
  readonly title: string;
  readonly children: ReactNode;
}

/** On a telephone behind a button; elsewhere it is there. Nothing that was typed is lost where the page is turned. */
export function Folded({ title, children }: FoldedProps): ReactElement {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button fold-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        {title}
      </button>
      <div id={id} className="fold" data-open={isOpen}>
        {children}
      </div>
    </>
  );
}
