import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePorts } from '../support/free-ports.ts';
import { type AggregatedApi, registerAggregatedApi, unregisterAggregatedApi } from './aggregated-api.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { locateArtifacts } from './binaries.ts';
import type { ComponentContext, ComponentName } from './components/component.ts';
import {
  type OptionalComponentName,
  startComponents,
  type StartedComponents,
} from './components/start-components.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';
import type { CertificateRequest } from './pki/certificate-authority.ts';
import { type CertificateFiles, writeCredentials } from './pki/credentials.ts';
import { writeKubeconfig } from './pki/kubeconfig.ts';
import { type PodUsage, setPodUsage } from './pod-usage.ts';
import { createRunFolder } from './run-folder.ts';
import { superviseProcesses } from './supervised-processes.ts';

/** Which cluster to start. */
export interface ControlPlaneOptions {
  /** Beyond etcd and kube-apiserver, which are always there. Default: none. */
  readonly components?: readonly OptionalComponentName[];
  /** Appended to a component's own flags, where the last one counts: feature gates, periods, tolerances. */
  readonly extraArguments?: Partial<Record<ComponentName, readonly string[]>>;
  /** What a component is told it is called, and writes under: in some distributions the controllers are another program. */
  readonly programNames?: Partial<Record<ComponentName, string>>;
}

/** A running cluster. */
export interface ControlPlane {
  /** The API server's URL. */
  readonly server: string;
  /** An administrator's kubeconfig. */
  readonly kubeconfigPath: string;
  /** The cluster's root certificate, PEM file. */
  readonly authorityPath: string;
  /** One log a process; it stays for a day after the end. */
  readonly logsFolder: string;
  /** For a test's own HTTPS server on localhost, such as an aggregated API. */
  readonly servingCertificate: CertificateFiles;
  /** kubectl as administrator. */
  readonly kubectl: Kubectl;
  /** Raw requests as administrator; quicker than kubectl, for polling. */
  readonly api: ApiClient;
  /** A kubeconfig for a user with no rights but those that RBAC gives to its name and groups. */
  readonly kubeconfigFor: (user: CertificateRequest) => string;
  /** Serves an API group from a local server. */
  readonly registerAggregatedApi: (api: AggregatedApi) => Promise<void>;
  readonly unregisterAggregatedApi: (api: Omit<AggregatedApi, 'port'>) => Promise<void>;
  /** Sets what running KWOK pods use. */
  readonly setPodUsage: (usage: PodUsage) => Promise<void>;
  /** Kills one component: an outage. */
  readonly stopComponent: (name: ComponentName) => Promise<void>;
  /** Starts it again, on the same port and with the same data, and waits until it serves. */
  readonly startComponent: (name: ComponentName) => Promise<void>;
  /** Ends every process and removes the data. */
  readonly stop: () => Promise<void>;
}

const attempts = 3;

/**
 * Starts a control plane and waits until all its components serve. Everything is started anew: ports, keys, data. It
 * ends with `stop()`, or with this process.
 *
 * @throws Error naming the component and the end of its log, or what is not built.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Between finding a free port and listening on it another test may have been quicker.
      if (attempt === attempts || !String(error).includes('address already in use')) throw error;
    }
  }
}

async function startOnce(options: ControlPlaneOptions): Promise<ControlPlane> {
  const context = await createContext();
  const processes = superviseProcesses(context.folder);
  const stop = async (): Promise<void> => {
    await processes.stopAll();
    rmSync(context.folder.state, { recursive: true, force: true });
  };
  try {
    return toControlPlane(context, await startComponents(context, processes, options), stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createContext(): Promise<ComponentContext> {
  const artifact = locateArtifacts();
  const ports = await assignPorts();
  const folder = createRunFolder();
  const credentials = writeCredentials(join(folder.state, 'pki'));
  const { authority } = credentials;
  const server = `https://127.0.0.1:${ports['kube-apiserver']}`;
  const kubeconfigFor = (user: CertificateRequest): string => {
    const client = credentials.issueClient(user);
    return writeKubeconfig(client.certificate.replace(/crt$/, 'kubeconfig'), { server, authority, client });
  };
  const api = createApiClient(server, authority, credentials.admin);
  return { folder, credentials, ports, artifact, server, api, kubeconfigFor };
}

async function assignPorts(): Promise<ComponentContext['ports']> {
  const names = [
    'etcd',
    'etcd-peer',
    'kube-apiserver',
    'kube-controller-manager',
    'kube-scheduler',
    'kwok',
    'metrics-server',
  ];
  const ports = await findFreePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as ComponentContext['ports'];
}

function toControlPlane(
  context: ComponentContext,
  components: StartedComponents,
  stop: () => Promise<void>,
): ControlPlane {
  const { folder, credentials, server, api, artifact } = context;
  const { authority, admin: client } = credentials;
  const kubeconfigPath = writeKubeconfig(join(folder.state, 'admin.kubeconfig'), {
    server,
    authority,
    client,
  });
  const kubectl: Kubectl = (args, input) =>
    createKubectl(artifact('kubectl'), kubeconfigPath, join(folder.state, 'kubectl-cache'))(args, input);
  return {
    server,
    kubeconfigPath,
    authorityPath: authority,
    logsFolder: folder.logs,
    servingCertificate: credentials.serving,
    kubectl,
    api,
    kubeconfigFor: context.kubeconfigFor,
    registerAggregatedApi: (aggregated) => registerAggregatedApi(api, aggregated),
    unregisterAggregatedApi: (aggregated) => unregisterAggregatedApi(api, aggregated),
    setPodUsage: (usage) => setPodUsage(kubectl, usage),
    stopComponent: components.stop,
    startComponent: components.start,
    stop,
  };
}
