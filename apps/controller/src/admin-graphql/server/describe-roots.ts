import type { GraphQLSchema } from 'graphql';

/** What the documentation of the schema begins with. */
const descriptions: Readonly<Record<string, string>> = {
  Query:
    'Everything that is in force and everything that was recorded. Nothing here changes anything. What the caller may not view is answered as what does not exist.',
  Mutation:
    'What operators, approvers and administrators do. Each is recorded in the ledger, refusals included; with `dryRun: true` it only says what it would do.',
  Subscription: 'What happens, told as it is recorded, over a WebSocket at `/graphql/subscriptions`.',
};

/** Says of the root types what they are: decorators describe their fields only. */
export function describeRoots(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    if (root) root.description = descriptions[root.name];
  return schema;
}
