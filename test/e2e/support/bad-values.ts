/** An answer of a source of metrics. */
export interface ValueAnswer {
  readonly status: number;
  readonly body: string;
}

/** What a source of one value answers, and what is then said of the policy that asks it, whose target has 4 replicas. */
export interface BadValue {
  readonly name: string;
  /** Made as it is asked for: values have a time. `undefined`: nothing is sent, ever. */
  readonly answer: () => ValueAnswer | undefined;
  readonly want: RegExp;
}

const html = '<html><body>Sign in</body></html>';
const tenMegabytes = 'x'.repeat(10_000_000);
const anHourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString();

/** What external.metrics.k8s.io answers while all is well: 100 in all, of which each of 4 replicas takes 25. */
export const goodExternalValues = (): ValueAnswer => externalValues([item('40'), item('60')]);

/** Answers of external.metrics.k8s.io that must leave the count as it is. A negative value is none: the HPA controller scales up by it. */
export const badExternalValues: readonly BadValue[] = [
  external('no values', [], /no metrics returned from external metrics API/),
  external('NaN', [item('NaN'), item('100')], /is no quantity within int64/),
  external('no number', [item(''), item('100')], /is no quantity within int64/),
  external('a huge value', [item('9'.repeat(40))], /no quantity within int64/),
  external('something that is no value', ['x', item('60')], /is no quantity within int64/),
  external(
    'a time that is none',
    [{ ...item('1'), timestamp: 'yesterday' }],
    /the time of a value is no RFC 3339 time: yesterday/,
  ),
  {
    name: 'the first of many pages',
    answer: () => ok(JSON.stringify({ ...listWith([item('1')]), metadata: { continue: 'next' } })),
    want: /the list is incomplete/,
  },
  { name: 'a page of a proxy', answer: () => ok(html), want: /the answer is no JSON/ },
  {
    name: 'no such API',
    answer: () => ({ status: 404, body: '404 page not found' }),
    want: /does not serve external/,
  },
  {
    name: '503',
    answer: () => ({ status: 503, body: 'service unavailable' }),
    want: /503 what serves external\.metrics\.k8s\.io\/v1beta1 is unavailable/,
  },
];

/** What a Prometheus server answers while all is well: 100 in all. */
export const goodPrometheusValues = (): ValueAnswer => vector(['40', '60']);

/** Answers of a Prometheus server that must leave the count as it is. */
export const badPrometheusValues: readonly BadValue[] = [
  { name: 'no series', answer: () => vector([]), want: /the query gives no series/ },
  { name: 'NaN', answer: () => vector(['NaN', '100']), want: /the query gives NaN/ },
  { name: 'an infinity', answer: () => vector(['+Inf']), want: /the query gives \+Inf/ },
  { name: 'a huge value', answer: () => vector(['9'.repeat(40)]), want: /no quantity within int64/ },
  {
    name: 'something that is no series',
    answer: () => resultOf(['x', series('1')]),
    want: /a sample is no pair/,
  },
  {
    name: 'a part of the series',
    answer: () =>
      ok(JSON.stringify({ status: 'success', warnings: ['store eu is down'], data: dataOf([series('1')]) })),
    want: /the answer is not complete: store eu is down/,
  },
  {
    name: 'an error',
    answer: () => ok(JSON.stringify({ status: 'error', error: 'query timed out' })),
    want: /status error: query timed out/,
  },
  { name: 'a page of a proxy', answer: () => ok(html), want: /the answer is no JSON/ },
  { name: '10 MB', answer: () => ok(tenMegabytes), want: /an answer of more than \d+ bytes/ },
  { name: '500', answer: () => ({ status: 500, body: 'oh no' }), want: /status 500: oh no/ },
  { name: 'nothing', answer: () => undefined, want: /no answer within 2 s/ },
];

/** What a recommender answers while all is well. */
export const goodRecommendation = (): ValueAnswer => ok(JSON.stringify({ targetReplicas: 4 }));

/** Answers of a recommender that must leave the count as it is. */
export const badRecommendations: readonly BadValue[] = [
  { name: 'no count', answer: () => ok('{}'), want: /the recommendation names no replicas/ },
  { name: 'a negative count', answer: () => recommended({ targetReplicas: -3 }), want: /-3/ },
  {
    name: 'a fraction',
    answer: () => recommended({ targetReplicas: 2.5 }),
    want: /is 2\.5, which is no whole number/,
  },
  {
    name: 'a huge count',
    answer: () => recommended({ targetReplicas: 2 ** 40 }),
    want: /no whole number of 32 bits/,
  },
  { name: 'NaN', answer: () => recommended({ targetReplicas: 'NaN' }), want: /targetReplicas is no number/ },
  {
    name: 'a field of a later version',
    answer: () => recommended({ targetReplicas: 2, mood: 'good' }),
    want: /unknown field \\?"mood/,
  },
  {
    name: 'an error',
    answer: () => recommended({ targetReplicas: 2, error: { code: 7, message: 'no model' } }),
    want: /answers with error 7: no model/,
  },
  {
    name: 'a recommendation of an hour ago',
    answer: () => recommended({ targetReplicas: 2, timestamp: anHourAgo() }),
    want: /the recommendation of \S+ is too old/,
  },
  { name: 'a page with status 200', answer: () => ok(html), want: /the answer is no JSON; it begins with/ },
  { name: '10 MB', answer: () => ok(tenMegabytes), want: /an answer of more than 65536 bytes/ },
  { name: '500', answer: () => ({ status: 500, body: 'oh no' }), want: /status 500: oh no/ },
];

function ok(body: string): ValueAnswer {
  return { status: 200, body };
}

function external(name: string, items: readonly unknown[], want: RegExp): BadValue {
  return { name, answer: () => externalValues(items), want };
}

function externalValues(items: readonly unknown[]): ValueAnswer {
  return ok(JSON.stringify(listWith(items)));
}

function listWith(items: readonly unknown[]): object {
  const apiVersion = 'external.metrics.k8s.io/v1beta1';
  return { kind: 'ExternalMetricValueList', apiVersion, metadata: {}, items };
}

function item(value: string): object {
  return { metricName: 'orders', metricLabels: {}, timestamp: new Date().toISOString(), value };
}

function vector(values: readonly string[]): ValueAnswer {
  return resultOf(values.map(series));
}

function resultOf(result: readonly unknown[]): ValueAnswer {
  return ok(JSON.stringify({ status: 'success', data: dataOf(result) }));
}

function dataOf(result: readonly unknown[]): object {
  return { resultType: 'vector', result };
}

function series(value: string): object {
  return { metric: {}, value: [Date.now() / 1000, value] };
}

function recommended(fields: object): ValueAnswer {
  return ok(JSON.stringify(fields));
}
