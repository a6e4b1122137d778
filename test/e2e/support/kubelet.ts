import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import type { ControlPlane } from '../../control-plane/control-plane.ts';
import type { LogEntry } from './controller-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Where the image has the program. */
const imageFolder = /^\/plimsoll\//g;

/** A pod as the API server has it, as far as a kubelet looks at it here. */
export interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly nodeName: string;
    readonly serviceAccountName: string;
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly [Container];
    readonly volumes: readonly Volume[];
  };
}

interface Container {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

/** What a test gives a pod in place of a network of its own. */
export interface PodNetwork {
  /** An address of this machine. */
  readonly ip: string;
  /** Ports of this machine, by those of the container. */
  readonly ports: ReadonlyMap<number, number>;
}

/** A container that runs: a process of this machine. */
export interface RunningPod {
  readonly name: string;
  readonly log: readonly LogEntry[];
  readonly hasEnded: () => boolean;
  /** The status of a probe's answer; 0: there was none. */
  readonly probe: (kind: 'startupProbe' | 'livenessProbe' | 'readinessProbe') => Promise<number>;
  /** SIGTERM, and SIGKILL after the grace period; resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
}

/**
 * Runs the one container of a pod as a kubelet would: its command, with the variables, the ConfigMaps, the Secrets and the
 * token of the service account that the API server gives for it, and nothing of the test's own environment. What is
 * mounted below `/etc` and `/var` lies in a folder of the test, and paths that name it are changed accordingly.
 */
export async function runPod(
  cluster: ControlPlane,
  pod: Pod,
  { folder, network }: { readonly folder: string; readonly network: PodNetwork },
): Promise<RunningPod> {
  const [container] = pod.spec.containers;
  const place = placedIn(join(folder, pod.metadata.name), container, network);
  await mountAll(cluster, pod, place);
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ...environmentOf(container, { 'status.podIP': network.ip }, place),
    // In a pod they follow from where it runs.
    PLIMSOLL_LISTEN_ADDRESS: network.ip,
    PLIMSOLL_LISTEN_METRICS_ADDRESS: network.ip,
    PLIMSOLL_CLUSTER_KUBECONFIG: await serviceAccountKubeconfig(cluster, pod, place.folder),
  };
  const [program = '', ...args] = [...container.command, ...container.args].map(place.text);
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: place.text(container.workingDir),
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const log: LogEntry[] = [];
  createInterface(child.stdout).on('line', (line) => log.push(JSON.parse(line) as LogEntry));
  const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  return {
    name: pod.metadata.name,
    log,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    probe: async (kind) => {
      const { path, port } = container[kind].httpGet;
      const own = network.ports.get(ports.get(port) ?? 0) ?? 0;
      return await fetch(`http://${network.ip}:${own}${path}`).then(
        async (answer) => answer.text().then(() => answer.status),
        () => 0,
      );
    },
    stop: () => end(child, pod.spec.terminationGracePeriodSeconds),
  };
}

/** Where what a container names lies on this machine. */
interface Place {
  readonly folder: string;
  /** A text of the manifest, or of what it mounts, for this machine. */
  readonly text: (text: string) => string;
}

function placedIn(folder: string, { volumeMounts }: Container, { ports }: PodNetwork): Place {
  const moved = new Map([
    ...volumeMounts.map(({ mountPath }) => [mountPath, `${folder}${mountPath}`] as const),
    ...[...ports].map(([port, own]) => [String(port), String(own)] as const),
  ]);
  const places = new RegExp(`(?<![\\w/])(?:${[...moved.keys()].join('|')})(?![\\w-])`, 'g');
  const text = (given: string): string =>
    given.replaceAll(places, (found) => moved.get(found) ?? found).replaceAll(imageFolder, `${root}/`);
  return { folder, text };
}

async function mountAll(cluster: ControlPlane, pod: Pod, { folder, text }: Place): Promise<void> {
  const { volumes, containers } = pod.spec;
  for (const { name, mountPath } of containers[0].volumeMounts) {
    const target = join(folder, mountPath);
    await mkdir(target, { recursive: true });
    const { configMap, secret } = volumes.find((volume) => volume.name === name) ?? {};
    const source = configMap ? ['configmap', configMap.name] : secret ? ['secret', secret.secretName] : null;
    if (source === null) continue;
    const printed = await cluster.kubectl(['get', ...source, '-n', pod.metadata.namespace, '-o', 'json']);
    const { data } = JSON.parse(printed) as { readonly data: Readonly<Record<string, string>> };
    for (const [file, value] of Object.entries(data)) {
      const content = secret ? Buffer.from(value, 'base64') : text(value);
      await writeFile(join(target, file), content, { mode: 0o440 });
    }
  }
}

/** Variables in the order in which they are written: one may name those before it. */
function environmentOf(
  { env }: Container,
  fields: Readonly<Record<string, string>>,
  { text }: Place,
): Readonly<Record<string, string>> {
  const set: Record<string, string> = {};
  for (const { name, value = '', valueFrom } of env) {
    const given = valueFrom === undefined ? value : (fields[valueFrom.fieldRef.fieldPath] ?? '');
    set[name] = text(given.replaceAll(/\$\((\w+)\)/g, (whole, variable: string) => set[variable] ?? whole));
  }
  return set;
}

/** In a pod it is found below /var/run/secrets/kubernetes.io. */
async function serviceAccountKubeconfig(
  cluster: ControlPlane,
  { metadata, spec }: Pod,
  folder: string,
): Promise<string> {
  const bound = ['--bound-object-kind', 'Pod', '--bound-object-name', metadata.name];
  const asked = ['create', 'token', spec.serviceAccountName, '-n', metadata.namespace, ...bound];
  const token = (await cluster.kubectl(asked)).trim();
  const file = join(folder, 'kubeconfig');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'pod',
    clusters: [
      { name: 'pod', cluster: { server: cluster.server, 'certificate-authority': cluster.authorityPath } },
    ],
    users: [{ name: 'pod', user: { token } }],
    contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod' } }],
  };
  await writeFile(file, stringify(kubeconfig));
  return file;
}

async function end(child: ChildProcess, graceSeconds: number): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceSeconds * 1_000);
  await ended.finally(() => clearTimeout(timer));
  return child.exitCode;
}
