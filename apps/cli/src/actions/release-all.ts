import type { ActionPreview, LeaveReport, LeavingPolicy } from '#contracts';
import { printAnswer } from '../asking/run-asking.ts';
import { table } from '../forms/print-answer.ts';
import { writePolicyFile } from '../manifests/write-policy-file.ts';
import { printable } from '../printable.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import type { Ask } from '../server/api-client.ts';
import { loadAll } from '../server/load-items.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ActionOptions } from './run-action.ts';

/** Options of a release of everything. */
export interface ReleaseOptions extends ActionOptions {
  readonly all?: boolean;
  readonly to?: string;
  readonly manifests?: string;
}

const targets: Readonly<Record<string, string>> = { hpa: 'HorizontalPodAutoscaler', none: 'None' };

/** A request does what a few seconds are enough for; after so many in a row that got no further, a person has to look. */
const maximumIdleRequests = 5;

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
        ? (await import('../forms/describe-effect.ts')).describeEffect(answer.effect)
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
  for (let idle = 0; report.waiting > 0 && idle < maximumIdleRequests;) {
    const tries = idle === 0 ? '' : `, and none was by this request (${idle} of ${maximumIdleRequests})`;
    messages.write(`plimsoll: ${toBeLeft(report)}${tries}\n`);
    const before = report.waiting;
    try {
      report = await ask<LeaveReport>(request);
    } catch (error) {
      messages.write(`plimsoll: ${toBeLeft(report)}; the others stay left, and the same command goes on\n`);
      throw error;
    }
    idle = report.waiting < before ? 0 : idle + 1;
  }
  return report;
}

function toBeLeft({ policies, waiting }: LeaveReport): string {
  return `${waiting} of ${policies.length} policies ${waiting === 1 ? 'is' : 'are'} still to be left`;
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

type Left = LeaveReport['policies'][number];

/** What a person has to look at comes last, beside the sums. */
const results: readonly Left['result'][] = ['Done', 'Blocked', 'Waiting'];

function describeReport({ policies, waiting, endedInterventions }: LeaveReport): string {
  const byResult = results.map((result) => policies.filter((policy) => policy.result === result));
  const rows = table(byResult.flat(), [
    ['POLICY', ({ policy }) => `${policy.namespace}/${policy.name}`],
    ['RESULT', ({ result }) => result],
    ['', ({ message }) => message],
  ]);
  const counts = results.map((result, at) => `${byResult[at]?.length ?? 0} ${result}`).join(', ');
  const rest =
    waiting === 0
      ? `${endedInterventions} ${endedInterventions === 1 ? 'intervention has' : 'interventions have'} ended`
      : `none that waits was left by the last ${maximumIdleRequests} requests, and no intervention has ended: see to what their rows say, and the same command goes on`;
  return `${rows}${counts}; ${rest}\n`;
}
