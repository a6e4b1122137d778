import type { Page } from 'playwright-core';
import type { AConsole, OpenOptions } from './a-console.ts';

/** Policies per page, as the console asks for them. */
export const syntheticPageSize = 100;

/** Answers the fleet's queries of a page with as many policies, some of them with names that nobody should give. */
export async function serveSyntheticFleet(page: Page, count: number): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const { operationName, variables } = route.request().postDataJSON() as {
      readonly operationName?: string;
      readonly variables?: { readonly after?: string | null; readonly withHistory?: boolean };
    };
    if (operationName !== 'FleetPage') return route.continue();
    const from = Number(variables?.after ?? 0);
    return route.fulfill({
      json: { data: syntheticFleetPage(count, from, variables?.withHistory === true) },
    });
  });
}

/** A page of a fleet of as many policies, from the given one on. */
export function syntheticFleetPage(count: number, from: number, withHistory: boolean): object {
  const length = Math.min(syntheticPageSize, count - from);
  const edges = Array.from({ length }, (_, index) => ({ node: aPolicy(from + index, withHistory) }));
  const end = from + length;
  return { policies: { edges, pageInfo: { endCursor: String(end), hasNextPage: end < count } } };
}

const oddNames = ['<img src=x onerror=alert(1)>', 'שלום-עולם', 'a'.repeat(253), "');DROP TABLE policy;--"];
/** As a fleet has them. */
const usualStates = [[], [], [], [], ['AtMaximum', 'Short'], ['Suspended'], ['Held'], ['Failing']];

/** Every state that there is, `Waiting` and `NotEvaluated` in the place of none: of the first policies only. */
const everyState = [
  ...usualStates,
  ['Conflict', 'Frozen'],
  ['Contested', 'DryRun'],
  ['StaleSource'],
  ['Fallback', 'Overdue', 'Scheduled'],
  ['Disabled'],
  ['Overridden', 'DryRun', 'AtMaximum'],
];
const evaluators: Readonly<Record<number, string>> = { 5: 'AnotherReplica', 6: 'NobodyYet' };
const seldomAmong = 280;
const waiting = 1;
const notEvaluated = 2;

function aPolicy(index: number, withHistory: boolean): object {
  const states = index < seldomAmong ? everyState : usualStates;
  const turn = index < seldomAmong ? index % states.length : 0;
  const now = 2 + ((index * 7) % 18);
  return {
    id: `policy:${index}`,
    namespace: `team-${String(index % 40).padStart(2, '0')}`,
    name: oddNames[index] ?? `service-${String(index).padStart(5, '0')}`,
    label: `squad-${index % 9}`,
    actuation: 'Scale',
    inForce: { minReplicas: 2, maxReplicas: 20 },
    states: turn === waiting ? ['Waiting'] : states[index % states.length],
    origin: { source: index % 2 === 0 ? 'policies' : 'edge' },
    status:
      turn === notEvaluated
        ? null
        : {
            time: new Date().toISOString(),
            evaluatedBy: evaluators[index % 13] ?? 'ThisReplica',
            shard: index % 16,
            message: 'decides again: cpu 55 % of request, target 60 %',
            replicas: index % 11 === 0 ? now + 1 : now,
            statusReplicas: now,
          },
    ...(withHistory
      ? {
          recentReplicas: Array.from(
            { length: 60 },
            (_, minute) => 2 + ((index + Math.floor(minute / 7)) % 18),
          ),
        }
      : {}),
  };
}

/** Opens the fleet's page with a fleet of 280, which has every state. */
export async function openSyntheticFleet(
  world: AConsole,
  path: string,
  options: OpenOptions = {},
): Promise<Page> {
  const page = await world.open('/audit', options);
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  await serveSyntheticFleet(page, 280);
  await page.goto(`${world.demo.url}${path}`);
  await page
    .getByText('280 policies', { exact: true })
    .or(page.getByText(/of 280 policies$/))
    .waitFor();
  return page;
}

/** Answers the timeline's queries of a page with as many decisions, newest first. */
export async function serveSyntheticDecisions(page: Page, count: number): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const { operationName, variables } = route.request().postDataJSON() as {
      readonly operationName?: string;
      readonly variables?: { readonly first: number; readonly after?: string | null };
    };
    if (operationName !== 'AuditPage') return route.continue();
    const newest = Number(variables?.after ?? count) - 1;
    const length = Math.min(variables?.first ?? 0, newest + 1);
    const edges = Array.from({ length }, (_, index) => ({ node: aDecision(newest - index) }));
    const oldest = newest - length + 1;
    const pageInfo = { endCursor: String(oldest), hasNextPage: oldest > 0 };
    return route.fulfill({ json: { data: { auditEntries: { edges, pageInfo } } } });
  });
}

function aDecision(number: number): object {
  return {
    __typename: 'Decision',
    id: `policy:shop/checkout#${number}`,
    time: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
    kind: 'Decision',
    hash: 'aa',
    policy: { namespace: 'shop', name: 'checkout' },
    decided: 'None',
    currentReplicas: 4,
    desiredReplicas: 4,
    decisionReason: `decision ${number}`,
  };
}
