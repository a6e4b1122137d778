import { expect } from '@jest/globals';
import { startStepsToken } from '../../../../apps/controller/src/app.module.ts';
import { administratorTokenToken } from '../../../../apps/controller/src/auth/identities/given-tokens.module.ts';
import { Holdings } from '../../../../apps/controller/src/coordination/holdings/holdings.ts';
import type { StartStep } from '../../../../apps/controller/src/start-up/start-step.ts';
import { StartUp } from '../../../../apps/controller/src/start-up/start-up.ts';
import { type AnApplication, anApplication } from '../an-application.ts';

/** The names of the steps of a start, as they are opened. */
export const startOrder: readonly string[] = [
  'metrics',
  'probes',
  'git',
  'watches',
  'database',
  'reading ahead',
  'API tokens',
  'reports',
  'journal',
  'traces',
  'API',
  'cluster',
  'cluster of the database',
  'following',
  'epoch',
  'journal of the last process',
  'checkpoints',
  'failed authentications',
  'retention',
  'metric series',
  'forges',
  'what was stored last',
  'policies',
  'policy state',
  'leading',
  'configuration',
  'settings',
  'sources',
  'passes',
  'scheduled reports',
  'changes of the configuration',
  'syncs',
];

/** A start of an application that has not begun, and what is done in it. */
export interface NotedStart {
  /** `open NAME` and `close NAME`, in their order. */
  readonly calls: string[];
  /** The steps that were opened while it was the leader. */
  readonly led: readonly string[];
  readonly application: AnApplication;
  readonly startUp: StartUp;
}

/** The application's own steps, each of which notes what is done to it; the one that is named fails when it is opened. */
export async function withFailing(
  failing: string | undefined,
  token: object | null = null,
): Promise<NotedStart> {
  const calls: string[] = [];
  const led: string[] = [];
  const plain = await anApplication({
    override: (module) => module.overrideProvider(administratorTokenToken).useValue(token),
  });
  const holdings = plain.nest.get(Holdings);
  const steps = plain.nest.get<readonly StartStep[]>(startStepsToken).map((step): StartStep => {
    const { name } = step;
    return {
      name,
      open: async (signal) => {
        calls.push(`open ${name}`);
        if (holdings.isLeader) led.push(name);
        if (name === failing) throw new Error(`${name} failed`);
        await step.open(signal);
      },
      close: async () => {
        calls.push(`close ${name}`);
        await step.close?.();
      },
    };
  });
  return { calls, led, application: plain, startUp: new StartUp(steps) };
}

/** A start that fails at a step closes what was opened, in reverse, and throws. */
export async function expectClosedInReverse(failing: string): Promise<void> {
  const { calls, application, startUp } = await withFailing(failing);
  await expect(startUp.onApplicationBootstrap()).rejects.toThrow(`${failing} failed`);
  const opened = startOrder.slice(0, startOrder.indexOf(failing) + 1);
  expect(calls).toEqual([
    ...opened.map((name) => `open ${name}`),
    ...opened.toReversed().map((name) => `close ${name}`),
  ]);
  await application.close();
}
