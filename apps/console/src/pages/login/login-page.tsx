import { type ReactElement, useEffect, useState } from 'react';
import { loadCaller, signIn } from '../../api/session.ts';
import { Mark } from '../../components/states/mark.tsx';
import { common } from '../../messages/common.ts';
import { login } from '../../messages/login.ts';
import { LoginForm } from './login-form.tsx';

import './login.css';

/** Shown in the place of every page to who is not signed in; the address stays. */
export default function LoginPage(): ReactElement {
  const [hasFailed, setFailed] = useState(false);
  const [isBusy, setBusy] = useState(location.pathname === '/login');
  useEffect(() => {
    if (location.pathname !== '/login') return;
    void enter().then((isIn) => {
      setFailed(!isIn);
      setBusy(false);
    });
  }, []);
  const failure = hasFailed ? login.link : openIdFailure();
  return (
    <main className="login">
      <div className="login-card">
        <div className="login-brand">
          <Mark size={44} />
          <h1>{common.product}</h1>
        </div>
        <p>{login.about}</p>
        {failure === undefined ? null : (
          <p className="problem" role="alert">
            {failure}
          </p>
        )}
        {isBusy ? <p role="status">{login.busy}</p> : <LoginForm />}
      </div>
    </main>
  );
}

/** Why the controller has sent a person back from the OpenID provider; undefined: it has not. */
function openIdFailure(): string | undefined {
  return login.openIdFailures[new URLSearchParams(location.search).get('openid') ?? ''];
}

/** By the token of a printed link, which stands behind `#` and so is sent to nobody, or by a session that there is. */
async function enter(): Promise<boolean> {
  const token = decodeURIComponent(location.hash.slice(1));
  if (token === '') {
    await loadCaller().catch(() => undefined);
    return true;
  }
  history.replaceState(null, '', '/');
  return (await signIn(token)) === 'SignedIn';
}
