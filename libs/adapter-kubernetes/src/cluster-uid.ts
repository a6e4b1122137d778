import type { ApiClient } from './api/api-client.ts';
import { parseKubeObject } from './api/kube-object.ts';

/**
 * What tells a cluster from every other one for as long as it is: the uid of its namespace `kube-system`.
 *
 * @throws AdapterError
 */
export async function readClusterUid(client: Pick<ApiClient, 'json'>): Promise<string> {
  return parseKubeObject(await client.json({ path: '/api/v1/namespaces/kube-system' })).uid;
}
