import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** A page: its path, and what shows it, loaded when it is gone to. */
export interface Page {
  readonly path: string;
  readonly component: LazyExoticComponent<ComponentType>;
}

/** As the controller has them: apps/controller/src/console/console-paths.ts. */
export const pages: readonly Page[] = [
  { path: '/', component: lazy(() => import('../pages/fleet/fleet-page.tsx')) },
  { path: '/policies/:namespace/:name', component: lazy(() => import('../pages/policy/policy-page.tsx')) },
  { path: '/decisions/:id', component: lazy(() => import('../pages/decision/decision-page.tsx')) },
  { path: '/sources', component: lazy(() => import('../pages/sources/sources-page.tsx')) },
  { path: '/sources/:name', component: lazy(() => import('../pages/source/source-page.tsx')) },
  {
    path: '/sources/:name/revisions/:sha',
    component: lazy(() => import('../pages/revision/revision-page.tsx')),
  },
  { path: '/controller', component: lazy(() => import('../pages/controller/controller-page.tsx')) },
  { path: '/playground', component: lazy(() => import('../pages/playground/playground-page.tsx')) },
  { path: '/audit', component: lazy(() => import('../pages/audit/audit-page.tsx')) },
  { path: '/reports', component: lazy(() => import('../pages/reports/reports-page.tsx')) },
];
