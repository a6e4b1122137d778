/** The texts around GraphiQL. */
export const graphiql = {
  title: 'GraphiQL',
  loading: 'Loading',
  back: 'Plimsoll',
  welcome: `# Ctrl-Enter runs a query, Ctrl-Space completes it;
# the book at the top left explains every field.
# Mutations act on the cluster, in your name.

# Why counts changed last, and who allowed it. For one policy:
# scalingEvents(first: 3, policy: {namespace: "shop", name: "checkout"})
{
  scalingEvents(first: 3) {
    edges {
      node {
        time
        policy { namespace name }
        from
        to
        origin
        reason
        decision {
          reason
          steps { rule before after because }
          blame {
            commit { hash author subject pullRequest { number approvers } }
            allowedBy { action by reason time }
            interventions { intervention { kind actor reason } }
          }
        }
      }
    }
  }
}
`,
} as const;
