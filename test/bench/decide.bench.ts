import { decide, type DecideInput, parseDecideInput } from '#decision';
import type { Bench, BenchResult } from './bench.ts';
import { UpstreamCalculator } from './upstream-calculator.ts';

const warmUpMilliseconds = 300;
/** Long enough for some collections of garbage; the fastest counts, since noise only ever adds. */
const roundMilliseconds = 50;
const rounds = 4;
/** How often both are measured, in turns. */
const turns = 5;

/** `decide` on observations that are in memory, as the controller calls it, beside upstream's calculator where Go is installed. */
export const decideBench: Bench = {
  description:
    "one decision, CPU utilisation metrics, steps and lists included; beside it what Kubernetes' calculator takes for the same input",
  async *run() {
    const upstream = UpstreamCalculator.start();
    try {
      for (const metrics of [1, 5])
        for (const pods of [1, 10, 100, 1_000, 10_000]) yield await measure({ pods, metrics, upstream });
    } finally {
      await upstream?.stop();
    }
  },
};

interface Case {
  readonly pods: number;
  readonly metrics: number;
  readonly upstream: UpstreamCalculator | null;
}

async function measure({ pods, metrics, upstream }: Case): Promise<BenchResult> {
  const text = JSON.stringify(anInput({ pods, metrics }));
  const input = parsed(text);
  const perRound = warmUp(input);
  let nsPerCall = Number.POSITIVE_INFINITY;
  let upstreamNsPerCall = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turns; turn += 1) {
    nsPerCall = Math.min(nsPerCall, fastestRound(input, perRound));
    if (upstream !== null) upstreamNsPerCall = Math.min(upstreamNsPerCall, await upstream.time(text));
  }
  return {
    case: 'decide',
    pods,
    metrics,
    nsPerCall: Math.round(nsPerCall),
    bytesPerCall: allocation(input, Math.max(1, Math.ceil(20_000 / pods))),
    ...(upstream === null ? {} : compared(nsPerCall, upstreamNsPerCall)),
  };
}

function compared(nsPerCall: number, upstreamNsPerCall: number): Readonly<Record<string, number>> {
  return {
    upstreamNsPerCall: Math.round(upstreamNsPerCall),
    timesUpstream: Math.round((100 * nsPerCall) / upstreamNsPerCall) / 100,
  };
}

/** Runs until the compiler has settled; returns how many calls fit into one round. */
function warmUp(input: DecideInput): number {
  const before = process.cpuUsage();
  let calls = 0;
  let used = 0;
  while (used < warmUpMilliseconds * 1_000) {
    for (let call = 0; call < 100; call += 1) decide(input);
    calls += 100;
    used = process.cpuUsage(before).user;
  }
  return Math.max(1, Math.round((calls * roundMilliseconds) / warmUpMilliseconds));
}

function fastestRound(input: DecideInput, calls: number): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) fastest = Math.min(fastest, time(input, calls));
  return fastest;
}

/** In nanoseconds of CPU time, garbage collection in other threads included: the clock of a busy machine counts what others do. */
function time(input: DecideInput, calls: number): number {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) decide(input);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / calls;
}

/** Bytes that a call allocates: the heap's growth between two collections of garbage, none in between if that can be had. */
function allocation(input: DecideInput, calls: number): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const kept: unknown[] = [];
  for (let call = 0; call < calls; call += 1) kept.push(decide(input));
  const after = process.memoryUsage().heapUsed;
  return Math.max(0, Math.round((after - before) / kept.length));
}

function parsed(text: string): DecideInput {
  const input = parseDecideInput(JSON.parse(text));
  if (!input.ok) throw new Error(`${input.error.path}: ${input.error.message}`);
  return input.value;
}

const now = Date.parse('2026-11-20T12:00:00.000Z');

/** A workload whose pods differ in age, request and usage, one in twenty of them still starting. */
function anInput({ pods, metrics }: { pods: number; metrics: number }): unknown {
  const names = Array.from(
    { length: pods },
    (_, index) => `checkout-7d9f8b6c5-${String(index).padStart(5, '0')}`,
  );
  const resources = ['cpu', 'cpu', 'cpu', 'cpu', 'cpu'].slice(0, metrics);
  return {
    policy: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'checkout', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
        minReplicas: 1,
        maxReplicas: pods * 4,
        metrics: resources.map((name, index) => ({
          type: 'Resource',
          resource: { name, target: { type: 'Utilization', averageUtilization: 50 + index } },
        })),
      },
    },
    settings: {},
    observation: {
      time: new Date(now).toISOString(),
      scale: { specReplicas: pods, statusReplicas: pods, selector: 'app=checkout' },
      pods: names.map((name, index) => aPod(name, index)),
      metrics: resources.map((_, metric) => ({
        pods: names.map((pod, index) => ({
          pod,
          timestamp: new Date(now - 5_000 - (index % 15) * 1_000).toISOString(),
          windowSeconds: 15,
          containers: [{ name: 'app', usage: { cpu: `${60 + ((index * 7 + metric) % 60)}m` } }],
        })),
      })),
    },
    memory: {},
  };
}

function aPod(name: string, index: number): Record<string, unknown> {
  const age = index % 20 === 0 ? 60 + (index % 7) : 3_600 + index * 13;
  const started = now - age * 1_000;
  return {
    name,
    phase: 'Running',
    startTime: new Date(started).toISOString(),
    ready: { status: 'True', lastTransitionTime: new Date(started + 10_000).toISOString() },
    containers: [{ name: 'app', requests: { cpu: `${100 + (index % 3) * 50}m` } }],
  };
}
