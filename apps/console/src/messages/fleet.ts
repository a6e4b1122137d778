/** The texts of the fleet's page. */
export const fleet = {
  title: 'Fleet',
  table: 'Policies',
  columns: { policy: 'Policy', replicas: 'Replicas', bounds: 'Bounds', state: 'State', age: 'Evaluated' },
  search: 'Search by name',
  notEvaluated: 'not yet',
  first: {
    title: 'No policy is in force',
    text: 'A policy is a YAML document in a repository that this controller looks at.',
    sources: 'Look at the sources',
  },
} as const;
