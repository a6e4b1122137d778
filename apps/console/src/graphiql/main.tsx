import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followTheme } from '../state/preferences.ts';
import { GraphiqlPage } from './graphiql-page.tsx';

import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/components.css';

followTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('graphiql.html has no place for GraphiQL');
createRoot(root).render(
  <StrictMode>
    <GraphiqlPage />
  </StrictMode>,
);
