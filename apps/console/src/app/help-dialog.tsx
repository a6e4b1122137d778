import type { ReactElement } from 'react';
import { Dialog } from '../components/frames/dialog.tsx';
import { common } from '../messages/common.ts';

/** Every key that does something. */
export default function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={common.help} onClose={onClose}>
      <dl className="shortcuts">
        {common.shortcuts.map(([keys, meaning]) => (
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
