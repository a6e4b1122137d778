import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { DemoProcess } from './demo-process.ts';

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** What somebody else does in the demo's cluster. */
interface ClusterRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** The field manager. */
  readonly manager?: string;
}

/** Asks the API server of the demo's cluster, past Plimsoll. @throws Error where it refuses */
export async function askDemoCluster(
  { repository }: DemoProcess,
  { method, path, body, manager = 'kubectl-edit' }: ClusterRequest,
): Promise<void> {
  // The demo keeps it beside its repository.
  const { clusters, users } = parse(
    readFileSync(join(dirname(repository), 'kubeconfig'), 'utf8'),
  ) as Kubeconfig;
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await fetch(`${clusters[0].cluster.server}${path}?fieldManager=${manager}`, {
    method,
    headers: { authorization: `Bearer ${users[0].user.token}`, 'content-type': type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

/** Sets the count of a Deployment, as somebody by hand does. */
export function scaleByHand(demo: DemoProcess, deployment: string, replicas: number): Promise<void> {
  const [namespace, name] = deployment.split('/');
  return askDemoCluster(demo, {
    method: 'PATCH',
    path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale`,
    body: { spec: { replicas } },
  });
}
