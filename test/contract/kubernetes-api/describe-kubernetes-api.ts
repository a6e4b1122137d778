import { afterAll, beforeAll, describe } from '@jest/globals';
import type { ApiConnection } from './api-connection.ts';
import { describeAutoscalers } from './autoscalers.ts';
import { type ContractContext, create } from './contract-context.ts';
import { describeCustomResources } from './custom-resources.ts';
import { describeDiscovery } from './discovery.ts';
import { describeLists } from './lists.ts';
import { describeObjects } from './objects.ts';
import { describePatches } from './patches.ts';
import { describeScales } from './scales.ts';
import { describeWatches } from './watches.ts';

const testNamespace = 'contract';

/**
 * What Plimsoll relies on in a Kubernetes API server. It runs against the simulator and against a real kube-apiserver
 * without controllers; where the two differ, the simulator is wrong.
 */
export function describeKubernetesApi(name: string, connect: () => Promise<ApiConnection>): void {
  describe(name, () => {
    let context: ContractContext;
    const getContext = (): ContractContext => context;

    beforeAll(async () => {
      context = { api: await connect(), namespace: testNamespace };
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: testNamespace } };
      await create(context, '/api/v1/namespaces', namespace);
    });

    afterAll(() => context.api.close());

    describeDiscovery(getContext);
    describeObjects(getContext);
    describeLists(getContext);
    describeWatches(getContext);
    describePatches(getContext);
    describeScales(getContext);
    describeAutoscalers(getContext);
    describeCustomResources(getContext);
  });
}
