import type { ComponentType, LazyExoticComponent } from 'react';
import { matchPath } from 'react-router';
import { lazyPart } from '../components/states/lazy-part.tsx';
import { common } from '../messages/common.ts';

interface PageSource {
  readonly path: string;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** What a tab or a bookmark of it is called. */
  readonly title: (parameters: Readonly<Record<string, string | undefined>>) => string;
}

/** A page: its path, and what shows it, loaded when it is gone to. */
export interface Page extends PageSource {
  readonly component: LazyExoticComponent<ComponentType>;
}

/** As the controller has them: apps/controller/src/console/console-paths.ts. */
const sources: readonly PageSource[] = [
  {
    path: '/',
    load: () => import('../pages/fleet/fleet-page.tsx'),
    title: () => common.pages.fleet,
  },
  {
    path: '/policies/:namespace/:name',
    load: () => import('../pages/policy/policy-page.tsx'),
    title: ({ namespace = '', name = '' }) => `${namespace}/${name}`,
  },
  {
    path: '/decisions/:id',
    load: () => import('../pages/decision/decision-page.tsx'),
    title: ({ id = '' }) => `${common.pages.decision} ${id.replace(/^policy:/, '')}`,
  },
  {
    path: '/interventions',
    load: () => import('../pages/interventions/interventions-page.tsx'),
    title: () => common.pages.interventions,
  },
  {
    path: '/sources',
    load: () => import('../pages/sources/sources-page.tsx'),
    title: () => common.pages.sources,
  },
  {
    path: '/sources/:name',
    load: () => import('../pages/source/source-page.tsx'),
    title: ({ name = '' }) => `${common.pages.source} ${name}`,
  },
  {
    path: '/sources/:name/revisions/:sha',
    load: () => import('../pages/revision/revision-page.tsx'),
    title: ({ name = '', sha = '' }) => `${common.pages.revision} ${sha.slice(0, 7)} · ${name}`,
  },
  {
    path: '/controller',
    load: () => import('../pages/controller/controller-page.tsx'),
    title: () => common.pages.controller,
  },
  {
    path: '/playground',
    load: () => import('../pages/playground/playground-page.tsx'),
    title: () => common.pages.playground,
  },
  {
    path: '/audit',
    load: () => import('../pages/audit/audit-page.tsx'),
    title: () => common.pages.audit,
  },
  {
    path: '/audit/:id',
    load: () => import('../pages/entry/entry-page.tsx'),
    title: ({ id = '' }) => `${common.pages.entry} ${id.replace(/^policy:/, '')}`,
  },
  {
    path: '/reports',
    load: () => import('../pages/reports/reports-page.tsx'),
    title: () => common.pages.reports,
  },
];

export const pages: readonly Page[] = sources.map((source) => ({
  ...source,
  component: lazyPart(source.load),
}));

/** Loads the page of an address beside all that has to come before it can be shown. */
export function preloadPage(pathname: string): void {
  const page = sources.find(({ path }) => matchPath(path, pathname) !== null);
  // Where it fails, it is loaded again when it is shown.
  void page?.load().catch(() => undefined);
}
