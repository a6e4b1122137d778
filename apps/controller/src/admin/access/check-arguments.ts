import type { JsonObject } from '#kernel';
import { QueryError } from '../requests/query-error.ts';

/** What the texts among the arguments of an action look like: names, hashes, times and words of a few. */
const forms: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    source: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    digest: /^[0-9a-zA-Z:_-]{1,128}$/,
    commit: /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/,
    policy: /^[a-z0-9][a-z0-9-]{0,62}\/[a-z0-9][a-z0-9.-]{0,252}$/,
    namespace: /^[a-z0-9][a-z0-9-]{0,62}$/,
    token: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    grants: /^(?:(?:viewer|operator|approver|admin):[a-z0-9*-]{1,63}(?:,[a-z0-9*-]{1,63})*(?:;|$)){1,20}$/,
    id: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    to: /^(?:HorizontalPodAutoscaler|None)$/,
    scope: /^(?:Policy|Namespace|Source|MetricSource|Cluster)$/,
    metricSource: /^[a-z0-9.:/[\]_-]{1,300}$/i,
    direction: /^(?:Up|Down|Both)$/,
    expires: /^[0-9TZ:.+-]{10,40}$/i,
  }),
);

/** Arguments that are 32-bit integers of the API. */
const counts: ReadonlySet<string> = new Set(['minReplicas', 'maxReplicas', 'replicas', 'shardCount']);

const shownCharacters = 100;

/**
 * Checks form and length of an action's arguments, before anything is recorded of them.
 *
 * @throws QueryError `BadArgument`
 */
export function checkArguments(given: JsonObject): void {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string' && forms.get(name)?.test(value) === true) continue;
    if (typeof value === 'number' && counts.has(name)) continue;
    const shown = JSON.stringify(value).slice(0, shownCharacters);
    throw new QueryError('BadArgument', `${name} is ${shown}, which is no ${name} of this API`);
  }
}
