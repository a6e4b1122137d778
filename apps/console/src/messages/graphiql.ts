/** The texts around GraphiQL. */
export const graphiql = {
  title: 'GraphiQL',
  loading: 'Loading',
  back: 'Plimsoll',
  welcome: `# Ctrl-Enter runs a query, Ctrl-Space completes it;
# the book at the top left explains every field.
# Mutations act on the cluster, in your name.

{
  scalingEvents(first: 3) {
    edges {
      node {
        time
        policy { namespace name }
        from
        to
        decision {
          reason
          steps { rule before after because }
        }
      }
    }
  }
}
`,
} as const;
