import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadCaller } from './api/session.ts';
import { App } from './app/app.tsx';
import { preloadPage } from './app/pages.tsx';
import { restoreAddress } from './navigation/return-address.ts';
import { followTheme } from './state/preferences.ts';

import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';

followTheme();
restoreAddress();
if (location.pathname !== '/login') {
  // Before anything is rendered: the page is loaded while the server says who is signed in.
  void loadCaller().catch(() => undefined);
  preloadPage(location.pathname);
}
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no place for the console');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
