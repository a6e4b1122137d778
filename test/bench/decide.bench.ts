import { decide, type DecideInput, parseDecideInput } from '#decision';
import type { Bench, BenchResult } from './bench.ts';

/** How long a case runs before and while it is measured. */
const warmUpMilliseconds = 300;
const measureMilliseconds = 700;
/** The best of so many rounds counts: noise only ever adds. */
const rounds = 5;

/** `decide` on observations that are in memory, as the controller calls it. */
export const decideBench: Bench = {
  description: 'one decision, CPU utilisation metrics, steps and lists included',
  *run() {
    for (const metrics of [1, 5])
      for (const pods of [1, 10, 100, 1_000, 10_000]) yield measure({ pods, metrics });
  },
};

function measure({ pods, metrics }: { pods: number; metrics: number }): BenchResult {
  const input = anInput({ pods, metrics });
  const perRound = warmUp(input);
  let nsPerCall = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) nsPerCall = Math.min(nsPerCall, time(input, perRound));
  return {
    case: 'decide',
    pods,
    metrics,
    nsPerCall: Math.round(nsPerCall),
    bytesPerCall: allocation(input, Math.max(1, Math.min(perRound, Math.ceil(20_000 / pods)))),
  };
}

/** Runs until the compiler has settled; returns how many calls fit into one round. */
function warmUp(input: DecideInput): number {
  const start = process.hrtime.bigint();
  let calls = 0;
  while (Number(process.hrtime.bigint() - start) < warmUpMilliseconds * 1e6) {
    decide(input);
    calls += 1;
  }
  return Math.max(1, Math.round((calls * measureMilliseconds) / warmUpMilliseconds / rounds));
}

function time(input: DecideInput, calls: number): number {
  const start = process.hrtime.bigint();
  for (let call = 0; call < calls; call += 1) decide(input);
  return Number(process.hrtime.bigint() - start) / calls;
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

const now = Date.parse('2026-11-20T12:00:00.000Z');

/** A workload whose pods differ in age, request and usage, one in twenty of them still starting. */
function anInput({ pods, metrics }: { pods: number; metrics: number }): DecideInput {
  const names = Array.from(
    { length: pods },
    (_, index) => `checkout-7d9f8b6c5-${String(index).padStart(5, '0')}`,
  );
  const resources = ['cpu', 'cpu', 'cpu', 'cpu', 'cpu'].slice(0, metrics);
  const value: unknown = JSON.parse(
    JSON.stringify({
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
    }),
  );
  const input = parseDecideInput(value);
  if (!input.ok) throw new Error(`${input.error.path}: ${input.error.message}`);
  return input.value;
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
