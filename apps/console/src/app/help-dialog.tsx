import type { ReactElement } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { shell } from '../messages/shell.ts';

/** Every key that does something. */
export default function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={shell.help} onClose={onClose}>
      <dl className="shortcuts">
        {shell.shortcuts.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
