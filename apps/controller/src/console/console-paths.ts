/** The console's pages: one document answers all of them, and its script shows which one it is. */
export const consolePages: readonly string[] = [
  '/',
  '/login',
  '/policies/:namespace/:name',
  '/decisions/:id',
  '/sources',
  '/sources/:name',
  '/sources/:name/revisions/:sha',
  '/audit',
  '/reports',
  '/playground',
];

/** What the pages load. */
export const consoleFiles: readonly string[] = ['/assets/:file', '/favicon.svg'];
