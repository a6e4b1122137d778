import type { PolicyChartOverTimeQuery } from './policy-chart.generated.ts';

/** What is drawn of a policy over time. */
export type Chart = NonNullable<NonNullable<PolicyChartOverTimeQuery['policy']>['chart']>;
