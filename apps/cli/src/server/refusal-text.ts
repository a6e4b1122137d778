import type { Problem } from '#contracts';
import { onOneLine } from './one-line.ts';
import type { AskingOptions } from './question.ts';
import { durationOf } from './time-after.ts';

/** What of a command's options says which of them a field of the API came from. */
interface GivenOptions extends AskingOptions {
  readonly for?: string;
  readonly until?: string;
  readonly expires?: string;
  readonly commit?: string;
  /** Of an option or an operand. */
  readonly source?: string;
}

/**
 * A refusal of the controller for who is at a terminal: with options in the place of the API's fields, and with what to do
 * about it.
 */
export function refusalText({ code, detail }: Pick<Problem, 'code' | 'detail'>, given: GivenOptions): string {
  const inCommands = replacements.reduce((text, [word, command]) => text.replace(word, command), detail);
  // Other sentences may begin with the name of a source, such as policies.
  const sentence = code.startsWith('Bad') ? withOptionNames(inCommands, given) : inCommands;
  const cure = Object.hasOwn(cures, code) ? `; ${cureOf(code, given)}` : '';
  return onOneLine(`${code}: ${sentence}${cure}`);
}

function cureOf(code: string, { source }: GivenOptions): string | undefined {
  return source === undefined ? cures[code] : cures[code]?.replace('SOURCE', () => source);
}

/** A sentence that begins with a field of the API (`"scope.namespace" is …`), with the option or operand that it came from. */
export function withOptionNames(sentence: string, given: GivenOptions): string {
  const [begin = '', path] = /^"?([A-Za-z]+(?:\.\w+)*)"? (?=is |has )/.exec(sentence) ?? [];
  if (path === undefined) return sentence;
  const field = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path;
  const name = field === 'expires' ? endOption(given) : field === 'commit' ? commitName(given) : names[field];
  if (name === undefined) return sentence;
  const rest = sentence.slice(begin.length);
  if (name === '--for') return durationSentence(rest, given);
  return name === '--expires' ? expirySentence(rest, given) : `${name} ${rest}`;
}

/** What was given is how long, and the controller speaks of the moments that this and the bound come to. */
function durationSentence(rest: string, { for: duration = '' }: GivenOptions): string {
  const { count, unit, unitSeconds } = durationOf(duration) ?? { count: 0, unit: '', unitSeconds: 1 };
  const hours = Number(/, and at most (\d+) hours later$/.exec(rest)?.[1]);
  const bound = (hours * 3_600) / unitSeconds;
  // Else the clock of this machine is what is wrong.
  if (!(count > bound)) return `--for ${rest.replace(/^is /, 'ends at ')}`;
  const longest = Number.isInteger(bound) ? `${bound}${unit}` : `${hours}h`;
  return `--for is "${duration}"; it wants at most ${longest} (the controller’s interventions.maximumHours)`;
}

/** Of a token likewise, where its end was given as how long it is to be valid. */
function expirySentence(rest: string, { expires = '' }: GivenOptions): string {
  const [, last, why] = / after now and not after ([^ ]+): (.+)$/.exec(rest) ?? [];
  if (durationOf(expires) === undefined || last === undefined || why === undefined)
    return `--expires ${rest}`;
  const [, days] = /^auth\.maximumTokenDays is (\d+)$/.exec(why) ?? [];
  return days === undefined
    ? `--expires is "${expires}"; it wants an end not after ${last}, ${why}`
    : `--expires is "${expires}"; it wants at most ${days}d (the controller’s auth.maximumTokenDays)`;
}

function endOption({ until, expires }: GivenOptions): string {
  if (expires !== undefined) return '--expires';
  return until === undefined ? '--for' : '--until';
}

function commitName({ commit }: GivenOptions): string {
  return commit === undefined ? 'COMMIT' : '--commit';
}

/** By the last name in a field's path. */
const names: Readonly<Record<string, string>> = {
  ...{ reason: '--reason', confirm: '--confirm', force: '--force', dryRun: '--dry-run' },
  ...{ minReplicas: '--min', maxReplicas: '--max', replicas: '--replicas', direction: '--direction' },
  ...{ namespace: '--namespace', namespaces: '--namespace', metricSource: '--metric-source', role: '--role' },
  ...{ kind: '--kind', kinds: '--kind', state: '--state', action: '--action', actor: '--actor' },
  ...{ from: '--from', until: '--until', time: '--at', timeZone: '--time-zone' },
  ...{ policies: '--policy', teams: '--team', teamLabel: '--team-label' },
  ...{ perReplicaHour: '--price-per-replica-hour', currency: '--currency' },
  ...{ id: 'ID', name: 'NAME', digest: 'DIGEST', count: 'COUNT', source: 'SOURCE' },
};

/** Words of the API within a sentence. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\(suspendScaling\)/, '("plimsoll suspend")'],
  [/\bgive an earlier until$/, 'give an earlier --until, or none'],
  [/\bend(?:Suspension|Override|DryRun) or (?="plimsoll )/, ''],
];

const cures: Readonly<Record<string, string>> = {
  BadBounds: '--min and --max are the bounds',
  ReasonRequired: '--reason SENTENCE gives it',
  UnknownPolicy: '"plimsoll get" lists those in force',
  UnknownSource: '"plimsoll get sources" lists them',
  UnknownHold: '"plimsoll get holds" lists those that wait',
  UnknownCommit: '"plimsoll get revisions --source NAME" lists the latest of a source',
  UnknownRevision: '"plimsoll get revisions --source SOURCE" lists them',
  UnknownIntervention: '"plimsoll get interventions" lists those that stand',
  UnknownToken: '"plimsoll token list" lists them',
  RolledBack: '"plimsoll resume source SOURCE" resumes it',
  AlreadyInForce: '"plimsoll unsuspend ID" ends it',
  TooManyInterventions: '"plimsoll unsuspend ID" ends one',
  TooManyTokens: '"plimsoll token revoke ID" revokes one',
};
