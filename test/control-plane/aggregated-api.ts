import type { ApiClient } from './api-client.ts';
import { eventually } from './poll.ts';

/** An API group that a server on this machine serves in the cluster's name. */
export interface AggregatedApi {
  /** `metrics.k8s.io`, `custom.metrics.k8s.io`, `external.metrics.k8s.io`, … */
  readonly group: string;
  readonly version: string;
  /** Where it listens on localhost. HTTPS, any certificate; plain HTTP is not possible. */
  readonly port: number;
}

const testNamespace = 'kube-system';
const availableTimeoutMilliseconds = 30_000;

/**
 * Routes `/apis/GROUP/VERSION` of the API server to a local server, and waits until the API server has found it there
 * (it asks for that very path, so the server must answer it with 200). A registration of the same group and version,
 * such as metrics-server's, is replaced.
 */
export async function registerAggregatedApi(
  api: ApiClient,
  { group, version, port }: AggregatedApi,
): Promise<void> {
  const service = `local-${version}-${group.replaceAll('.', '-')}`;
  await putInPlace(api, `/api/v1/namespaces/${testNamespace}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: service, namespace: testNamespace },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await putInPlace(api, apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { name: service, namespace: testNamespace, port },
    },
  });
  await untilAvailable(api, `${version}.${group}`);
}

/** Takes the group out of the cluster's API; does nothing where it is not registered. */
export async function unregisterAggregatedApi(
  api: ApiClient,
  { group, version }: Omit<AggregatedApi, 'port'>,
): Promise<void> {
  await api({ method: 'DELETE', path: `${apiServices}/${version}.${group}` });
}

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

interface NamedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

async function putInPlace(api: ApiClient, path: string, body: NamedObject): Promise<void> {
  const created = await api({ method: 'POST', path, body });
  const response =
    created.status === 409
      ? await api({ method: 'PATCH', path: `${path}/${body.metadata.name}`, body })
      : created;
  if (response.status >= 300)
    throw new Error(`${path} refused ${body.metadata.name}: ${JSON.stringify(response.body)}`);
}

async function untilAvailable(api: ApiClient, name: string): Promise<void> {
  await eventually({
    description: `the APIService ${name} to be available`,
    timeoutMilliseconds: availableTimeoutMilliseconds,
    probe: async () => {
      const { body } = await api({ path: `${apiServices}/${name}` });
      const { conditions = [] } = (body as { status: { conditions?: Condition[] } }).status;
      const available = conditions.find(({ type }) => type === 'Available');
      if (available?.status !== 'True') throw new Error(available?.message ?? 'no condition yet');
      return true;
    },
  });
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}
