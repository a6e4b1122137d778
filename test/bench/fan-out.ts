import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { type ControllerProcess, testToken } from '../e2e/support/controller-process.ts';
import type { BenchResult } from './bench.ts';
import { type ProcessUsage, usageOf } from './sweep/process-usage.ts';

export const subscriberCount = 1_000;

/** A suspension begins, and ends: each is an event for every subscriber. */
const suspensions = 50;

const events = 'subscription { actions { id time actor action outcome reason } }';

/**
 * What it takes to tell a thousand clients, in another process, of what operators do: beside what the same actions take
 * where there is nobody to tell.
 */
export async function measureFanOut(controller: ControllerProcess): Promise<BenchResult> {
  await act(controller, suspensions);
  const quiet = await usageDuring(controller, () => act(controller, suspensions));
  const clients = fork(join(import.meta.dirname, 'fan-out-clients.ts'), [
    `${controller.url.replace('http', 'ws')}/graphql/subscriptions`,
    testToken,
    String(subscriberCount),
    events,
  ]);
  try {
    const received = countOf(clients);
    await received.reaches(0);
    // The first event that all have been sent shows that all have subscribed.
    await act(controller, 1);
    await received.reaches(2 * subscriberCount);
    const connected = await usageOf(controller.pid);
    const started = performance.now();
    const told = await usageDuring(controller, async () => {
      await act(controller, suspensions);
      await received.reaches(2 * subscriberCount * (suspensions + 1));
    });
    const deliveries = 2 * suspensions * subscriberCount;
    const cpuSeconds = told.cpuSeconds - quiet.cpuSeconds;
    return {
      case: `an event to ${subscriberCount} subscribers`,
      deliveries,
      perSecond: Math.round((deliveries * 1_000) / (performance.now() - started)),
      cpuMicrosecondsPerDelivery: (cpuSeconds * 1e6) / deliveries,
      bytesPerSubscriber: Math.round((connected.residentBytes - quiet.residentBytes) / subscriberCount),
      peakBytes: told.peakBytes,
    };
  } finally {
    clients.kill();
  }
}

/** Suspensions of the whole cluster, one after the other, each of which begins and ends. */
async function act({ query }: ControllerProcess, count: number): Promise<void> {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  for (let index = 0; index < count; index += 1) {
    const { suspendScaling } = await query<{ readonly suspendScaling: { readonly id: string } }>(
      `mutation { suspendScaling(scope: Cluster, direction: Down, expires: "${expires}", reason: "bench ${index}") {
        ... on Intervention { id } } }`,
    );
    await query(
      `mutation { endSuspension(id: "${suspendScaling.id}", reason: "it is over") { __typename } }`,
    );
  }
}

async function usageDuring(
  { pid }: ControllerProcess,
  work: () => Promise<void>,
): Promise<Pick<ProcessUsage, 'cpuSeconds' | 'residentBytes' | 'peakBytes'>> {
  const before = await usageOf(pid);
  await work();
  const after = await usageOf(pid);
  return { ...after, cpuSeconds: after.cpuSeconds - before.cpuSeconds };
}

interface EventCount {
  /** Resolves when all clients together have been sent so many events. */
  readonly reaches: (count: number) => Promise<void>;
}

function countOf(clients: ChildProcess): EventCount {
  let count = -1;
  let onChange: () => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    clients.once('exit', (code) => reject(new Error(`the subscribers ended with ${String(code)}`)));
  });
  // Nobody waits for it at the end.
  ended.catch(() => undefined);
  clients.on('message', (message) => {
    count = Number(message);
    onChange();
  });
  return {
    reaches: async (wanted) => {
      while (count < wanted) {
        const changed = new Promise<void>((resolve) => {
          onChange = resolve;
        });
        await Promise.race([changed, ended]);
      }
    },
  };
}
