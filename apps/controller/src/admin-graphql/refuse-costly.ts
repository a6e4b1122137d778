import type { DocumentNode, GraphQLSchema } from 'graphql';
import { QueryError } from '../admin/query-error.ts';
import { queryCost } from './query-cost.ts';

/** Five pages of a hundred decisions without their inputs, or one with its steps, metrics and pods. */
export const maximumQueryCost = 25_000;

/**
 * Refuses operations that would cost too much, before anything is executed.
 *
 * @throws QueryError `QueryTooCostly`
 */
export function refuseCostly(query: {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}): void {
  const cost = queryCost(query);
  if (cost <= maximumQueryCost) return;
  throw new QueryError(
    'QueryTooCostly',
    `the query may cost ${cost}, at most ${maximumQueryCost}: ask for smaller pages, and for inputs by decision(id)`,
  );
}
