import type { DocumentNode } from 'graphql';
import { QueryError } from '../../admin/requests/query-error.ts';
import { queryCost, type QueryCostInput } from './query-cost.ts';
import { queryDepth } from './query-depth.ts';

/** Deep enough for policy → decisions → edges → node → metrics → pods → filteredOut, and no deeper. */
const maximumDepth = 12;

/** Five pages of a hundred decisions without their inputs, or one with its steps, metrics and pods. */
export const maximumQueryCost = 25_000;

/** Documents that are asked again and again, and cost the same whenever they are. */
const affordable = new WeakSet<DocumentNode>();

/**
 * Refuses valid operations that are too deep or would cost too much, before anything is executed.
 *
 * @throws QueryError `BadQuery`, `QueryTooCostly`
 */
export function refuseCostly(query: QueryCostInput): void {
  if (affordable.has(query.document)) return;
  const depth = queryDepth(query.document);
  if (depth > maximumDepth)
    throw new QueryError('BadQuery', `the query is ${depth} deep, at most ${maximumDepth}`);
  const { cost, isOfEveryCall } = queryCost(query);
  if (cost <= maximumQueryCost && isOfEveryCall) affordable.add(query.document);
  if (cost <= maximumQueryCost) return;
  throw new QueryError(
    'QueryTooCostly',
    `the query may cost ${cost}, at most ${maximumQueryCost}: ask for smaller pages, and for inputs by decision(id)`,
  );
}
