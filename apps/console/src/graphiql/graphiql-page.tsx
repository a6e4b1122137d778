import { GraphiQL } from 'graphiql';
import { type ReactElement, Suspense, useEffect, useSyncExternalStore } from 'react';
import { loadCaller, session } from '../api/session.ts';
import { lazyPart } from '../components/states/lazy-part.tsx';
import { graphiql } from '../messages/graphiql.ts';
import { theme } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { askGraphql } from './ask-graphql.ts';
import { describeEditors } from './describe-editors.ts';
import { takeGivenQuery } from './query-address.ts';

import 'graphiql/graphiql.css';
import './graphiql.css';

const Login = lazyPart(() => import('../pages/login/login-page.tsx'));
const SessionEnded = lazyPart(() => import('../pages/login/session-ended.tsx'));

const given = takeGivenQuery();

/** GraphiQL for who is signed in to the console, and the console's sign-in for everyone else. */
export function GraphiqlPage(): ReactElement {
  const current = useStore(session);
  const shownTheme = useShownTheme();
  useEffect(() => void loadCaller().catch(() => undefined), []);
  useEffect(describeEditors, []);
  if (current.kind === 'Unknown')
    return <div className="skeleton" role="status" aria-label={graphiql.loading} />;
  if (current.kind === 'SignedOut') {
    return (
      <Suspense>
        <Login />
      </Suspense>
    );
  }
  return (
    <>
      <main className="graphiql-page">
        <h1 className="hidden-text">{graphiql.title}</h1>
        <GraphiQL
          fetcher={askGraphql}
          forcedTheme={shownTheme}
          defaultQuery={graphiql.welcome}
          isHeadersEditorEnabled={false}
          {...given}
        >
          <GraphiQL.Logo>
            <a href="/">{graphiql.back}</a>
          </GraphiQL.Logo>
        </GraphiQL>
      </main>
      <Suspense>{current.kind === 'Ended' ? <SessionEnded /> : null}</Suspense>
    </>
  );
}

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The theme of the console; GraphiQL's own choice would be another. */
function useShownTheme(): 'light' | 'dark' {
  const chosen = useStore(theme);
  const isDark = useSyncExternalStore(
    (changed) => {
      dark.addEventListener('change', changed);
      return () => dark.removeEventListener('change', changed);
    },
    () => dark.matches,
  );
  const ofSystem = isDark ? 'dark' : 'light';
  return chosen === 'system' ? ofSystem : chosen;
}
