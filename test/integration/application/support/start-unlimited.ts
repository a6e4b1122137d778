import { soon } from '../../../e2e/support/soon.ts';
import { type AnApplication, anApplication } from '../an-application.ts';
import type { OwnDatabase } from './both-databases.ts';

const policyText = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  interval: 1h
  maxReplicas: 9
`;

/** Starts an application with one policy, which refuses no request for being one of many. */
export async function startUnlimited(
  makeDatabase: () => Promise<OwnDatabase>,
): Promise<{ readonly application: AnApplication; readonly stop: () => Promise<void> }> {
  const { configuration, remove } = await makeDatabase();
  const application = await anApplication({
    configuration: {
      ...configuration,
      listen: { port: 0, metricsPort: 0, requestsPerSecond: { perCaller: 100_000, perAddress: 100_000 } },
    },
  });
  application.repository.commit('Scale the shop', { 'web.yaml': policyText });
  await application.nest.init();
  await soon('the policy is in force', async () => {
    const { body } = await application.ask('{ fleet { policies } }');
    return JSON.stringify(body).includes('{"policies":1}') || undefined;
  });
  return {
    application,
    stop: async () => {
      await application.close();
      await remove();
    },
  };
}
