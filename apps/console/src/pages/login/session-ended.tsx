import { type ReactElement, useEffect, useState } from 'react';
import { loadCaller } from '../../api/session.ts';
import { Dialog } from '../../components/frames/dialog.tsx';
import { common } from '../../messages/common.ts';
import { LoginForm } from './login-form.tsx';

import './login.css';

/** Over the page, which stays as it is: signing in goes on with it. */
export default function SessionEnded(): ReactElement {
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') void loadCaller().catch(() => undefined);
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  const [isOpen, setOpen] = useState(true);
  return isOpen ? (
    <Dialog title={common.ended.title} onClose={() => setOpen(false)} isDismissable={false}>
      <p>{common.ended.text}</p>
      <LoginForm inNewTab />
    </Dialog>
  ) : (
    <p className="notice notice-below" role="status">
      {common.ended.title}{' '}
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {common.ended.again}
      </button>
    </p>
  );
}
