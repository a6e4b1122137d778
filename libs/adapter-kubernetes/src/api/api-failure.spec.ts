import { describe, expect, it } from '@jest/globals';
import { answerFailure } from './api-failure.ts';

describe('what an API server answers for another one', () => {
  const what = 'GET /apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue';
  const why =
    'what serves external.metrics.k8s.io/v1beta1 is unavailable to the API server: kubectl get apiservice v1beta1.external.metrics.k8s.io says why';
  it.each([
    { name: 'that it finds unavailable', given: { what, bodyText: 'service unavailable\n' }, want: why },
    {
      name: 'that it finds unavailable, to a question of discovery',
      given: { what: 'GET /apis/external.metrics.k8s.io/v1beta1', bodyText: 'service unavailable\n' },
      want: why,
    },
    {
      name: 'that it cannot reach',
      given: { what, bodyText: 'error trying to reach service: dial tcp 10.0.0.1:443: connect: refused' },
      want: 'error trying to reach service: dial tcp 10.0.0.1:443: connect: refused',
    },
    {
      name: 'of its own core',
      given: { what: 'GET /api/v1/pods', bodyText: 'service unavailable' },
      want: 'service unavailable',
    },
  ])('$name is told as that, and may pass', ({ given, want }) => {
    const failure = answerFailure({ ...given, status: 503, secrets: [] });
    expect(failure).toMatchObject({
      code: 'ServerError',
      retryable: true,
      message: `${given.what}: 503 ${want}`,
    });
  });
});
