/** The console's pages: one document answers all of them, and its script shows which one it is. */
export const consolePages: readonly string[] = [
  '/',
  '/login',
  '/policies/:namespace/:name',
  '/decisions/:id',
  '/interventions',
  '/sources',
  '/sources/:name',
  '/sources/:name/revisions/:sha',
  '/audit',
  '/audit/:id',
  '/reports',
  '/controller',
  '/playground',
];

/** What the pages load. */
export const consoleFiles: readonly string[] = ['/assets/:file', '/favicon.svg'];

/** GraphiQL, a page with files of its own; where it is off, they answer as what there is not. */
export const graphiqlPaths: readonly string[] = ['/graphiql', '/graphiql/assets/:file'];
