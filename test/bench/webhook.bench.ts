import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Simulator, startSimulator } from '#simulator';
import { type ControllerProcess, startControllerProcess } from '../e2e/support/controller-process.ts';
import type { Bench, BenchResult } from './bench.ts';

const run = promisify(execFile);

const policies = 10_000;
const namespaces = 100;
const secret = 'bench';

/** Often enough to be exact, and seldom enough not to be the load that is measured. */
const pollMilliseconds = 50;
const timeoutMilliseconds = 120_000;

/**
 * From the push reported over HTTP to the policy in force, on the controller as it is built (`npm run build` first), with a
 * cluster in which every target exists, and with every policy decided on its interval beside it.
 */
export const webhookBench: Bench = {
  description: `webhook to policy in force, ${policies} policies, built controller, SQLite, simulated cluster`,
  run: measure,
};

async function* measure(): AsyncIterable<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  const simulator = await startSimulator();
  let controller: ControllerProcess | undefined;
  try {
    fillCluster(simulator);
    const origin = await makeOrigin(folder);
    await commit(origin, policies, 10);
    const started = performance.now();
    controller = await startControllerProcess(folder, await configuration({ folder, origin, simulator }));
    yield { case: 'start with a first sync', policies, milliseconds: performance.now() - started };
    for (const [index, count] of [1, 1, 1, 1, 1, 1_000, 1_000].entries()) {
      await commit(origin, count, 11 + index);
      yield await pushed(controller, count, 11 + index);
    }
  } finally {
    await controller?.kill();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reports a push, and waits until the last of its policies is in force. */
async function pushed(controller: ControllerProcess, count: number, maximum: number): Promise<BenchResult> {
  const [start, cpu] = [performance.now(), await cpuMilliseconds(controller.pid)];
  const answer = await push(controller.url, maximum);
  const answered = performance.now();
  const deadline = start + timeoutMilliseconds;
  while ((await maximumOf(controller, count - 1)) !== maximum) {
    if (performance.now() > deadline) throw new Error(`the push was answered ${answer}, and is not in force`);
    await sleep(pollMilliseconds);
  }
  return {
    case: `${count} changed`,
    policies,
    answer,
    answeredMilliseconds: answered - start,
    milliseconds: performance.now() - start,
    cpuMilliseconds: (await cpuMilliseconds(controller.pid)) - cpu,
  };
}

/** What a process and its ended children have used, in steps of 10 ms: on a busy machine more telling than the time. */
async function cpuMilliseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

async function push(url: string, maximum: number): Promise<number> {
  const body = JSON.stringify({ ref: 'refs/heads/main', after: String(maximum) });
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const response = await fetch(`${url}/webhooks/bench`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': String(maximum),
      'x-hub-signature-256': `sha256=${digest}`,
    },
    body,
  });
  await response.text();
  return response.status;
}

interface PolicyAnswer {
  readonly policy: { readonly maxReplicas: number } | null;
}

async function maximumOf(controller: ControllerProcess, index: number): Promise<number | undefined> {
  const { policy } = await controller.query<PolicyAnswer>(
    `{ policy(namespace: "${namespaceOf(index)}", name: "p${index}") { maxReplicas } }`,
  );
  return policy?.maxReplicas;
}

async function configuration(parts: {
  readonly folder: string;
  readonly origin: string;
  readonly simulator: Simulator;
}): Promise<object> {
  const { folder, origin, simulator } = parts;
  const [kubeconfig, secretFile] = [join(folder, 'kubeconfig'), join(folder, 'secret')];
  await writeFile(kubeconfig, simulator.kubeconfigYaml);
  await writeFile(secretFile, `${secret}\n`);
  return {
    cluster: { name: 'bench', kubeconfig },
    mode: 'Observe',
    namespaces: ['*'],
    dataFolder: join(folder, 'data'),
    database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    sources: [
      {
        name: 'bench',
        url: `file://${origin}`,
        // Nothing but the webhook brings a commit in.
        interval: '24h',
        blastRadius: { targets: policies, percent: 100 },
        webhook: { provider: 'github', secretFile },
      },
    ],
  };
}

function namespaceOf(index: number): string {
  return `team-${index % namespaces}`;
}

function fillCluster({ objects }: Simulator): void {
  for (let index = 0; index < namespaces; index += 1)
    objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(index) } });
  for (let index = 0; index < policies; index += 1) objects.create(targetOf(index));
}

/** A target without pods: what is measured is the sync, beside passes that are cheap. */
function targetOf(index: number): Parameters<Simulator['objects']['create']>[0] {
  const labels = { app: `p${index}` };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `p${index}`, namespace: namespaceOf(index) },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } },
    },
  };
}

async function makeOrigin(folder: string): Promise<string> {
  const origin = join(folder, 'origin');
  for (let index = 0; index < namespaces; index += 1)
    await mkdir(join(origin, namespaceOf(index)), { recursive: true });
  await git(origin, 'init', '--quiet', '--initial-branch=main');
  await git(origin, 'config', 'uploadpack.allowFilter', 'true');
  return origin;
}

async function commit(origin: string, count: number, maximum: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await writeFile(join(origin, namespaceOf(index), `p${index}.yaml`), policyText(index, maximum));
  await git(origin, 'add', '--all');
  await git(origin, 'commit', '--quiet', `--message=At most ${maximum}`);
}

function policyText(index: number, maximum: number): string {
  return `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: p${index}, namespace: ${namespaceOf(index)} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: p${index} }
  minReplicas: 2
  maxReplicas: ${maximum}
  metrics:
    - { type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 60 } } }
`;
}

async function git(folder: string, ...args: readonly string[]): Promise<void> {
  const person = { NAME: 'Bench', EMAIL: 'bench@example.com' };
  await run('git', [...args], {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: person.NAME,
      GIT_AUTHOR_EMAIL: person.EMAIL,
      GIT_COMMITTER_NAME: person.NAME,
      GIT_COMMITTER_EMAIL: person.EMAIL,
    },
  });
}
