/** A pod's usage, as the metrics API lists it. */
export interface UsageSample {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: object };
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: object }[];
}

/** What a metrics API answers for the pods of a target of four replicas, and what is then said of its policy. */
export interface BadAnswer {
  readonly name: string;
  readonly status: number;
  /** Given the samples of the target's pods, of which each uses so much CPU. */
  readonly body: (samples: (usage: string) => readonly UsageSample[]) => string;
  readonly want: RegExp;
}

/** Answers that must leave the count as it is. */
export const badAnswers: readonly BadAnswer[] = [
  {
    name: 'usages that are no number',
    status: 200,
    body: (samples) => listOf(samples('NaN')),
    want: /FailedGetResourceMetric .*has a value that is no quantity.*4 replicas stay/,
  },
  {
    name: 'negative usages',
    status: 200,
    body: (samples) => listOf(samples('-400m')),
    want: /FailedGetResourceMetric .*is negative: -400m.*4 replicas stay/,
  },
  {
    name: 'usages that no machine has',
    status: 200,
    body: (samples) => listOf(samples('9'.repeat(40))),
    want: /FailedGetResourceMetric .*no quantity within int64.*4 replicas stay/,
  },
  {
    name: 'samples of an hour from now',
    status: 200,
    body: (samples) => listOf(samples('1m').map((sample) => ({ ...sample, timestamp: inAnHour() }))),
    want: /FailedGetResourceMetric .*did not receive metrics for targeted pods.*4 samples are not believed: that of pod \S+ of \S+ lies more than 60 s in the future.*4 replicas stay/,
  },
  {
    name: 'samples of pods of another namespace',
    status: 200,
    body: (samples) => listOf(renamed(samples('1m'), () => ({ namespace: 'bank' }))),
    want: /FailedGetResourceMetric .*no metrics returned from resource metrics API.*4 replicas stay/,
  },
  {
    name: 'samples of pods that nobody knows',
    status: 200,
    body: (samples) => listOf(renamed(samples('1m'), (at) => ({ name: `x-${at}` }))),
    want: /FailedGetResourceMetric .*no metrics returned matched known pods.*4 replicas stay/,
  },
  {
    name: 'every sample three times',
    status: 200,
    body: (samples) => listOf([...samples('300m'), ...samples('300m'), ...samples('300m')]),
    want: /Done Unchanged .*cpu 60 % of request, target 60 %/,
  },
  {
    name: 'no samples',
    status: 200,
    body: () => listOf([]),
    want: /FailedGetResourceMetric .*no metrics returned from resource metrics API.*4 replicas stay/,
  },
  {
    name: 'a page of a proxy',
    status: 200,
    body: () => '<html>Sign in</html>',
    want: /FailedGetResourceMetric .*the answer is no JSON.*4 replicas stay/,
  },
  {
    name: 'no metrics API',
    status: 404,
    body: () => '404 page not found',
    want: /FailedGetResourceMetric .*does not serve metrics\.k8s\.io\/v1beta1: is what provides it installed\?.*stay/,
  },
  {
    name: 'a metrics API that is not available',
    status: 503,
    body: () => 'service unavailable',
    want: /FailedGetResourceMetric .*503 what serves metrics\.k8s\.io\/v1beta1 is unavailable.*4 replicas stay/,
  },
];

/** The answer of a metrics API that is well. */
export function listOf(items: readonly UsageSample[]): string {
  return JSON.stringify({
    kind: 'PodMetricsList',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: {},
    items,
  });
}

function renamed(samples: readonly UsageSample[], changeOf: (at: number) => object): readonly UsageSample[] {
  return samples.map((sample, at) => ({ ...sample, metadata: { ...sample.metadata, ...changeOf(at) } }));
}

function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}
