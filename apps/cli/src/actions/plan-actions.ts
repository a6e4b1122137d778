import type { BegunIntervention, Hold, SyncResult } from '#contracts';
import { policyOf, policyPath } from '../asking/run-asking.ts';
import { actsOnNone, standingText } from '../forms/describe-effect.ts';
import { requiredText } from '../forms/print-answer.ts';
import { requireNamespaces } from '../namespace-argument.ts';
import type { ExitStatus } from '../run-command.ts';
import type { ApiRequest, Ask } from '../server/api-client.ts';
import { loadAll } from '../server/load-items.ts';
import { onOneLine } from '../server/one-line.ts';
import { replicaCountOf } from '../server/replica-count.ts';
import { timeAfter } from '../server/time-after.ts';
import { wholeCommit, wholeDigest, wholeIntervention } from '../server/whole-name.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ActionOptions, AskedAction } from './run-action.ts';

type Operands = readonly string[];

export function planSuspension([policy]: Operands, options: ActionOptions): AskedAction {
  const { direction, reason } = options;
  const scope = scopeOf(policy, options);
  return beginning({ kind: 'Suspend', scope, direction, expires: expiryOf(options), reason });
}

export function planDryRun([policy]: Operands, options: ActionOptions): AskedAction {
  const { reason } = options;
  return beginning({
    kind: 'DryRun',
    scope: scopeOf(policy, options),
    expires: expiryOf(options),
    reason,
  });
}

export function planOverride([policy = '']: Operands, options: ActionOptions): AskedAction {
  const { min, max, replicas, force, reason } = options;
  if ([min, max, replicas].every((count) => count === undefined))
    throw new UnusableError('an override wants a count: --min, --max or --replicas');
  return beginning({
    kind: 'Override',
    policy: policyOf(policy),
    minReplicas: replicaCountOf('--min', min),
    maxReplicas: replicaCountOf('--max', max),
    replicas: replicaCountOf('--replicas', replicas),
    force,
    expires: expiryOf(options),
    reason,
  });
}

export function planEnd([given = '']: Operands, { reason }: ActionOptions): AskedAction {
  const endOf = (id: string): ApiRequest => ({
    method: 'DELETE',
    path: `/interventions/${encodeURIComponent(id)}`,
  });
  return {
    ...endOf(given),
    query: { reason },
    whole: async (ask) => endOf(await wholeIntervention(ask, given)),
    done: ({ kind, id }) => `${requiredText(kind)} ${requiredText(id)} has ended`,
  };
}

/** What is no dry run is left, and the answer says what ends it. */
export function planDryRunEnd(operands: Operands, options: ActionOptions): AskedAction {
  const { query, ...end } = planEnd(operands, options);
  return { ...end, query: { ...query, kind: 'DryRun' } };
}

export function planApproval(operands: Operands, options: ActionOptions): AskedAction {
  const [source = '', given = ''] = operands;
  const of = (digest: string): AskedAction => ofHold('approve', [source, digest], options);
  let hold: Hold | undefined;
  const isInForce = (answer: SyncAnswer): boolean => hold !== undefined && isLetIn(hold, answer);
  const after = lookAfter('the hold is approved');
  return {
    ...of(given),
    whole: async (ask) => {
      const digest = await wholeDigest(ask, source, given);
      hold = await findHold(ask, source, digest);
      return bare(of(digest));
    },
    status: (answer) => (isInForce(answer) ? 0 : statusOfSync(answer)),
    done: (answer) =>
      isInForce(answer)
        ? `the hold is approved, and what it held is in force; ${syncText(answer)}`
        : after.done(answer),
  };
}

/** Undefined: there is none, or it is not to be had, which fails no approval. */
async function findHold(ask: Ask, source: string, digest: string): Promise<Hold | undefined> {
  try {
    const holds = (await loadAll(ask, '/holds')) as readonly Hold[];
    return holds.find((hold) => hold.source === source && hold.digest === digest);
  } catch {
    return undefined;
  }
}

type SyncAnswer = Readonly<Record<string, unknown>>;

/** Whether the commit of an approved hold is what was looked at, in force for some tenants, and held no more. */
function isLetIn({ digest, commit }: Hold, answer: SyncAnswer): boolean {
  const { commit: looked, holds } = answer as unknown as Pick<SyncResult, 'commit' | 'holds'>;
  const isPartial = resultOf(answer) === 'partial';
  return isPartial && looked?.hash === commit && !holds.some((hold) => hold.digest === digest);
}

export function planRejection(operands: Operands, options: ActionOptions): AskedAction {
  // It is answered with the source: nothing is looked at.
  return { ...ofHold('reject', operands, options), done: rejectionText, status: () => 0 };
}

function rejectionText({ name }: Readonly<Record<string, unknown>>): string {
  requiredText(name);
  return 'rejected: what is in force stays';
}

export function planRollback([source = '', commit = '']: Operands, { reason }: ActionOptions): AskedAction {
  const to = (hash: string): AskedAction => ofSource(source, 'rollback', { commit: hash, reason });
  return { ...to(commit), whole: async (ask) => bare(to(await wholeCommit(ask, source, commit))) };
}

export function planResumption([kind, name = '']: Operands, options: ActionOptions): AskedAction {
  const { reason, source } = options;
  if (kind === 'source') {
    if (source !== undefined) throw new UnusableError('--source is of a policy: resume source NAME has none');
    return { ...ofSource(name, 'resume', { reason }), ...lookAfter(`${name} is no longer rolled back`) };
  }
  if (source === undefined) throw new UnusableError('a policy needs --source, the source that released it');
  return {
    method: 'POST',
    path: `${policyPath(name)}/resume`,
    body: { source, reason },
    ...lookAfter(`the release of ${name} is taken back`),
  };
}

export function planRelease([policy]: Operands, { source, reason }: ActionOptions): AskedAction {
  if (policy === undefined) throw new UnusableError('name a policy, or --all');
  if (source === undefined) throw new UnusableError('a policy needs --source, the source that it comes from');
  return {
    method: 'POST',
    path: `${policyPath(policy)}/release`,
    body: { source, reason },
    ...lookAfter(`${policy} is released`),
  };
}

export function planSync([source = '']: Operands): AskedAction {
  return { method: 'POST', path: `/sources/${encodeURIComponent(source)}/sync`, ...look };
}

function statusOfSync(answer: SyncAnswer): ExitStatus {
  const still = resultOf(answer);
  if (still === 'failed') return 2;
  return still === 'rejected' || still === 'partial' ? 1 : 0;
}

/** A commit that was judged before is answered as unchanged, and its message begins with what it is still. */
function resultOf({ result, message }: SyncAnswer): unknown {
  const [, still = result] = /^still (\w+): /.exec(requiredText(message)) ?? [];
  return still;
}

export function planReshard([count = '']: Operands, { reason }: ActionOptions): AskedAction {
  if (!/^\d{1,9}$/.test(count))
    throw new UnusableError(`${JSON.stringify(count)} is no number of shards; it is 1 to 64`);
  return {
    method: 'POST',
    path: '/shard-count',
    body: { count: Number(count), reason },
    done: (counts) =>
      `the policies are spread over ${requiredCount(counts, 'count')} shards; it was ${requiredCount(counts, 'before')}`,
  };
}

function requiredCount(counts: Readonly<Record<string, unknown>>, name: string): string {
  const { [name]: count } = counts;
  return requiredText(typeof count === 'number' ? String(count) : count);
}

function beginning(body: object): AskedAction {
  return {
    method: 'POST',
    path: '/interventions',
    body,
    done: ({ kind, id, expires, begun }) => {
      // A controller of before has fewer of them.
      const met = (begun ?? {}) as Partial<BegunIntervention['begun']>;
      const { policies, effects = [], against = [], standing = [] } = met;
      return [
        `${requiredText(kind)} ${requiredText(id)} stands until ${requiredText(expires)}`,
        ...(policies === undefined ? [] : [actsOnText(policies)]),
        ...effects,
        ...(policies !== undefined && effects.length > 0 && effects.length < policies
          ? [`and ${policies - effects.length} more`]
          : []),
        ...against.map((problem) => `forced against ${problem}`),
        ...standing.map(standingText),
      ].join('\n');
    },
  };
}

function actsOnText(policies: number): string {
  return policies === 0 ? actsOnNone : `it acts on ${policies === 1 ? '1 policy' : `${policies} policies`}`;
}

function scopeOf(
  policy: string | undefined,
  { namespace, source, metricSource, cluster }: ActionOptions,
): object {
  if (namespace !== undefined) requireNamespaces([namespace], 'Name');
  const scopes = [
    ...(policy === undefined ? [] : [{ kind: 'Policy', ...policyOf(policy) }]),
    ...(namespace === undefined ? [] : [{ kind: 'Namespace', namespace }]),
    ...(source === undefined ? [] : [{ kind: 'Source', source }]),
    ...(metricSource === undefined ? [] : [{ kind: 'MetricSource', metricSource }]),
    ...(cluster === true ? [{ kind: 'Cluster' }] : []),
  ];
  const [scope, ...others] = scopes;
  if (scope !== undefined && others.length === 0) return scope;
  throw new UnusableError('name one of a policy, --namespace, --source, --metric-source and --cluster');
}

function ofHold(verb: string, [source = '', digest = '']: Operands, { reason }: ActionOptions): AskedAction {
  const of = (whole: string): AskedAction =>
    ofSource(source, `holds/${encodeURIComponent(whole)}/${verb}`, { reason });
  return { ...of(digest), whole: async (ask) => bare(of(await wholeDigest(ask, source, digest))) };
}

function bare({ path, body }: AskedAction): ApiRequest {
  return { method: 'POST', path, ...(body !== undefined && { body }) };
}

function ofSource(source: string, path: string, body: object): AskedAction {
  return {
    method: 'POST',
    path: `/sources/${encodeURIComponent(source)}/${path}`,
    body,
    source,
    ...look,
  };
}

/** An action that a look at the source follows says what the look came to. */
const look: Pick<AskedAction, 'done' | 'status'> = { done: syncText, status: statusOfSync };

/** What is done already is said where the look that follows comes to nothing good. */
function lookAfter(done: string): typeof look {
  return {
    status: statusOfSync,
    done: (answer) => (statusOfSync(answer) === 0 ? '' : `${done}; `) + syncText(answer),
  };
}

function syncText({ source, result, message, errors }: Readonly<Record<string, unknown>>): string {
  const more = requiredText(message);
  const wait = result === 'held' ? '; "plimsoll get holds" lists what is held' : '';
  return `${requiredText(source)}: ${requiredText(result)}${more === '' ? '' : `, ${more}`}${wait}${errorLines(errors)}`;
}

/** The message has the first of them. */
function errorLines(errors: unknown): string {
  if (!Array.isArray(errors) || errors.length < 2) return '';
  return errors.map((error) => `\n  ${onOneLine(requiredText(error))}`).join('');
}

function expiryOf({ for: duration = '1h', until }: ActionOptions): string {
  return until === undefined ? timeAfter('--for', duration) : timeAfter('--until', until);
}
