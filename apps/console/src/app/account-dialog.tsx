import type { ReactElement } from 'react';
import { signOut } from '../api/session.ts';
import { Dialog } from '../components/dialog.tsx';
import { shell } from '../messages/shell.ts';

interface AccountDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Who is signed in, and the way out. */
export default function AccountDialog({ name, onClose }: AccountDialogProps): ReactElement {
  return (
    <Dialog title={shell.account(name)} onClose={onClose}>
      <footer className="dialog-footer">
        <button type="button" className="button" onClick={onClose}>
          {shell.stay}
        </button>
        <button type="button" className="button button-primary" onClick={() => void signOut()}>
          {shell.signOut}
        </button>
      </footer>
    </Dialog>
  );
}
