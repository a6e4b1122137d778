import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../poll.ts';
import type { SupervisedProcesses } from '../supervised-processes.ts';
import type { Component, ComponentContext, ComponentName } from './component.ts';
import { etcd } from './etcd.ts';
import { kubeApiserver } from './kube-apiserver.ts';
import { kubeControllerManager } from './kube-controller-manager.ts';
import { kubeScheduler } from './kube-scheduler.ts';
import { kwok } from './kwok.ts';
import { metricsServer } from './metrics-server.ts';

/** The components that a cluster works without. */
export type OptionalComponentName = Exclude<ComponentName, 'etcd' | 'kube-apiserver'>;

/** Stops and starts the components of a running cluster, one at a time. */
export interface StartedComponents {
  readonly start: (name: ComponentName) => Promise<void>;
  readonly stop: (name: ComponentName) => Promise<void>;
}

/** Which components, and what flags beyond their own. */
export interface ComponentSelection {
  readonly components?: readonly OptionalComponentName[];
  readonly extraArguments?: Partial<Record<ComponentName, readonly string[]>>;
  readonly programNames?: Partial<Record<ComponentName, string>>;
}

const optional: Readonly<Record<OptionalComponentName, Component>> = {
  'kube-controller-manager': kubeControllerManager,
  'kube-scheduler': kubeScheduler,
  kwok,
  'metrics-server': metricsServer,
};

/** The API server takes 3 s on an idle machine; two minutes is for one that builds and tests at the same time. */
const readyTimeoutMilliseconds = 120_000;
const logTailLines = 15;

/** Starts etcd, then the API server, then the others at once; each step waits until the one before serves. */
export async function startComponents(
  context: ComponentContext,
  processes: SupervisedProcesses,
  { components = [], extraArguments = {}, programNames = {} }: ComponentSelection,
): Promise<StartedComponents> {
  const starts = new Map<ComponentName, () => Promise<void>>();
  const start = async (name: ComponentName): Promise<void> => {
    const begin = starts.get(name);
    if (begin === undefined) throw new Error(`${name} is not one of this control plane's components`);
    await begin();
  };
  for (const component of [etcd, kubeApiserver, ...new Set(components)].map(toComponent)) {
    const args = [...component.arguments(context), ...(extraArguments[component.name] ?? [])];
    starts.set(component.name, () =>
      startComponent(context, processes, { component, args, programName: programNames[component.name] }),
    );
  }
  await start('etcd');
  await start('kube-apiserver');
  await Promise.all([...new Set(components)].map(start));
  return { start, stop: processes.stop };
}

function toComponent(component: Component | OptionalComponentName): Component {
  return typeof component === 'string' ? optional[component] : component;
}

interface Start {
  readonly component: Component;
  readonly args: readonly string[];
  readonly programName: string | undefined;
}

async function startComponent(
  context: ComponentContext,
  processes: SupervisedProcesses,
  start: Start,
): Promise<void> {
  const { name, prepare, isReady } = start.component;
  const { args, programName } = start;
  await prepare?.(context);
  processes.start({ name, command: context.artifact(name), programName, arguments: args });
  try {
    await eventually({
      description: `${name} to be ready`,
      timeoutMilliseconds: readyTimeoutMilliseconds,
      intervalMilliseconds: 100,
      probe: async () => ((await isReady(context)) ? true : undefined),
      abandon: () => processes.endOf(name),
    });
  } catch (error) {
    throw new Error(`${String(error)}\n${logTail(context, name)}`, { cause: error });
  }
}

function logTail({ folder }: ComponentContext, name: ComponentName): string {
  const path = join(folder.logs, `${name}.log`);
  if (!existsSync(path)) return `${path} was never written`;
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return [`the end of ${path}:`, ...lines.slice(-logTailLines)].join('\n');
}
