import type { ReactElement } from 'react';
import { signOut } from '../api/session.ts';
import { Dialog } from '../components/frames/dialog.tsx';
import { common } from '../messages/common.ts';

interface AccountDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Who is signed in, and the way out. */
export default function AccountDialog({ name, onClose }: AccountDialogProps): ReactElement {
  return (
    <Dialog title={common.account(name)} onClose={onClose}>
      <footer className="dialog-footer">
        <button type="button" className="button" onClick={onClose}>
          {common.stay}
        </button>
        <button type="button" className="button button-primary" onClick={() => void signOut()}>
          {common.signOut}
        </button>
      </footer>
    </Dialog>
  );
}
