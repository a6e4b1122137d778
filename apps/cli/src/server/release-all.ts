import type { ActionPreview, LeaveReport, LeavingPolicy } from '#contracts';
import { writePolicyFile } from '../manifests/write-policy-file.ts';
import { printable } from '../printable.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import type { Ask } from './api-client.ts';
import { loadAll } from './load-items.ts';
import { table } from './print-answer.ts';
import type { ActionOptions } from './run-action.ts';
import { printAnswer } from './run-asking.ts';

/** Options of a release of everything. */
export interface ReleaseOptions extends ActionOptions {
  readonly all?: boolean;
  readonly to?: string;
  readonly manifests?: string;
}

const targets: Readonly<Record<string, string>> = { hpa: 'HorizontalPodAutoscaler', none: 'None' };

/** A request does what a few seconds are enough for; so often in a row none gets any further. */
const maximumIdleRounds = 5;

/** Leaves all targets: asks until nothing waits any more, or nothing moves. @throws UnusableError */
export async function releaseAll(options: ReleaseOptions, terminal: Terminal): Promise<ExitStatus> {
  const to = targets[options.to ?? ''];
  if (to === undefined) throw new UnusableError('--all needs --to hpa or --to none');
  const left = { waiting: 0 };
  const status = await printAnswer<LeaveReport | ActionPreview>(terminal, options, {
    load: async (ask) => {
      if (options.manifests !== undefined)
        await writeManifests({ ask, to, folder: options.manifests }, terminal);
      const answer = await leave(ask, { to, options }, terminal);
      if ('waiting' in answer) left.waiting = answer.waiting;
      return answer;
    },
    show: async (answer) =>
      'effect' in answer
        ? (await import('./describe-effect.ts')).describeEffect(answer.effect)
        : describeReport(answer),
  });
  return left.waiting > 0 ? 1 : status;
}

async function leave(
  ask: Ask,
  { to, options }: { readonly to: string; readonly options: ReleaseOptions },
  { messages }: Terminal,
): Promise<LeaveReport | ActionPreview> {
  const { dryRun, confirm, reason } = options;
  const request = {
    method: 'POST',
    path: '/release-all',
    query: { ...(dryRun === true ? { dryRun: 'true' } : {}), confirm },
    body: { to, reason },
  } as const;
  const first = await ask<LeaveReport | ActionPreview>(request);
  if ('effect' in first) return first;
  let report = first;
  for (let idle = 0; report.waiting > 0 && idle < maximumIdleRounds;) {
    messages.write(
      `plimsoll: ${report.waiting} of ${report.policies.length} policies are still to be left\n`,
    );
    const before = report.waiting;
    report = await ask<LeaveReport>(request);
    idle = report.waiting < before ? 0 : idle + 1;
  }
  return report;
}

async function writeManifests(
  { ask, to, folder }: { readonly ask: Ask; readonly to: string; readonly folder: string },
  { messages }: Terminal,
): Promise<void> {
  const { stringify } = await import('yaml');
  const items = (await loadAll(ask, '/leaving-policies', { to })) as readonly LeavingPolicy[];
  let count = 0;
  for (const { policy, manifest, gaps } of items) {
    if (manifest === null) continue;
    const comments = gaps.map((gap) => `# ${printable(gap)}\n`).join('');
    const path = `${policy.namespace}/${policy.name}.yaml`;
    writePolicyFile({ folder, path, text: `${comments}${stringify(manifest)}`, mode: 'Overwrite' });
    count += 1;
  }
  messages.write(`plimsoll: ${count} manifests of ${items.length} policies are in ${folder}\n`);
}

function describeReport({ policies, waiting, endedInterventions }: LeaveReport): string {
  const rows = table(policies, [
    ['POLICY', ({ policy }) => `${policy.namespace}/${policy.name}`],
    ['RESULT', ({ result }) => result],
    ['', ({ message }) => message],
  ]);
  const ended = `${endedInterventions} interventions have ended\n`;
  return `${rows}${waiting === 0 ? ended : `${waiting} policies wait: the same command goes on\n`}`;
}
