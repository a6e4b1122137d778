import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { ControlPlane } from '../../control-plane/control-plane.ts';

const plimsoll = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'bin', 'plimsoll.js');

const serviceAccount = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plimsoll' } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'plimsoll', namespace: 'plimsoll' } },
];

type AnyCluster = Pick<ControlPlane, 'kubectl' | 'authorityPath' | 'server'>;

/** Makes the ServiceAccount of the documents, which may do nothing. @returns the path of a kubeconfig with its token, as a pod has it */
export async function makeServiceAccount(cluster: AnyCluster, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await cluster.kubectl(['apply', '-f', '-'], serviceAccount.map((each) => stringify(each)).join('---\n'));
  const token = await cluster.kubectl(['create', 'token', 'plimsoll', '--namespace', 'plimsoll']);
  const file = join(folder, 'service-account.kubeconfig');
  const authority = readFileSync(cluster.authorityPath).toString('base64');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'pod',
    clusters: [{ name: 'c', cluster: { server: cluster.server, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token: token.trim() } }],
    contexts: [{ name: 'pod', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(file, stringify(kubeconfig));
  return file;
}

/** What `plimsoll rbac` prints for a configuration. `operands`: its options, and checkouts of the policies. */
export async function printRights(
  folder: string,
  configuration: object,
  operands: readonly string[] = [],
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'rbac.yaml');
  await writeFile(file, stringify(configuration));
  return execFileSync(process.execPath, [plimsoll, 'rbac', '--config', file, ...operands], {
    encoding: 'utf8',
  });
}

/** The configuration with the kubeconfig of a ServiceAccount that may do exactly what `plimsoll rbac` prints for it. */
export async function withPrintedRights<Configuration extends { readonly cluster: object }>(
  cluster: AnyCluster,
  folder: string,
  { operands, ...given }: { readonly configuration: Configuration; readonly operands?: readonly string[] },
): Promise<Configuration> {
  const kubeconfig = await makeServiceAccount(cluster, folder);
  const configuration = { ...given.configuration, cluster: { ...given.configuration.cluster, kubeconfig } };
  await cluster.kubectl(['apply', '-f', '-'], await printRights(folder, configuration, operands));
  return configuration;
}
