import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { followTheme } from './app/preferences.ts';
import { restoreAddress } from './app/return-address.ts';

import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';

followTheme();
restoreAddress();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no place for the console');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
