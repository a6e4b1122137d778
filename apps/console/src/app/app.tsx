import { type ReactElement, Suspense, useEffect } from 'react';
import { BrowserRouter } from 'react-router';
import { loadCaller, session } from '../api/session.ts';
import { lazyPart } from '../components/states/lazy-part.tsx';
import { useStore } from '../state/store.ts';
import { Shell } from './shell.tsx';

const Login = lazyPart(() => import('../pages/login/login-page.tsx'));
const SessionEnded = lazyPart(() => import('../pages/login/session-ended.tsx'));

/** An attempt to learn who is signed in that failed is made again after so long; the first is made with the page's script. */
const retryMilliseconds = 3_000;

/** The console: the page of the address for who is signed in, and the sign-in for everyone else. */
export function App(): ReactElement {
  const current = useStore(session);
  useEffect(() => {
    if (current.kind !== 'Unknown' || location.pathname === '/login') return undefined;
    const timer = setInterval(() => void loadCaller().catch(() => undefined), retryMilliseconds);
    return () => clearInterval(timer);
  }, [current.kind]);
  if (current.kind === 'Unknown' && location.pathname !== '/login') return <div className="skeleton" />;
  return (
    <BrowserRouter>
      {/* Apart from the page, which would be hidden while this is loaded, and lose the focus. */}
      <Suspense>{current.kind === 'Ended' ? <SessionEnded /> : null}</Suspense>
      <Suspense fallback={<div className="skeleton" />}>
        {current.kind === 'SignedIn' || current.kind === 'Ended' ? (
          <Shell caller={current.caller} />
        ) : (
          <Login />
        )}
      </Suspense>
    </BrowserRouter>
  );
}
