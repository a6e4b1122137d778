import type { ExpiryBound, Problem } from '#contracts';
import { onOneLine } from '../server/one-line.ts';
import type { AskingOptions } from '../server/question.ts';
import { durationOf } from '../server/time-after.ts';

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
export function refusalText(
  { code, detail, bound }: Pick<Problem, 'code' | 'detail' | 'bound'>,
  given: GivenOptions,
): string {
  const inCommands = replacements.reduce((text, [word, command]) => text.replace(word, command), detail);
  // Other sentences may begin with the name of a source, such as policies.
  const sentence = bound === undefined ? undefined : boundSentence(bound, given);
  const said = sentence ?? (code.startsWith('Bad') ? withOptionNames(inCommands, given) : inCommands);
  const cure = Object.hasOwn(cures, code) ? `; ${cureOf(code, given)}` : '';
  return onOneLine(`${code}: ${said}${cure}`);
}

function cureOf(code: string, { source }: GivenOptions): string | undefined {
  return source === undefined ? cures[code] : cures[code]?.replace('SOURCE', () => source);
}

/** A sentence that begins with a field of the API (`"scope.namespace" is …`), with the option or operand that it came from. */
function withOptionNames(sentence: string, given: GivenOptions): string {
  const [begin = '', path] = /^"?([A-Za-z]+(?:\.\w+)*)"? (?=is |has )/.exec(sentence) ?? [];
  if (path === undefined) return sentence;
  const field = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path;
  const name = field === 'expires' ? endOption(given) : field === 'commit' ? commitName(given) : names[field];
  if (name === undefined) return sentence;
  const rest = sentence.slice(begin.length);
  return name === '--for' ? `--for ${rest.replace(/^is /, 'ends at ')}` : `${name} ${rest}`;
}

/**
 * What was given is how long, and the controller speaks of the moments that this and the bound come to. Undefined: its
 * sentence says it better, or the clock of this machine is what is wrong.
 */
function boundSentence(bound: ExpiryBound, given: GivenOptions): string | undefined {
  const name = endOption(given);
  const duration = name === '--for' ? given.for : given.expires;
  const asked = durationOf(duration ?? '');
  if (asked === undefined || name === '--until') return undefined;
  const begin = `${name} is "${duration}"; it wants`;
  const { last, setting, value } = bound;
  if (setting === null || value === null)
    return `${begin} an end not after ${last}, when the token that asks expires`;
  const longest = value * (setting === 'auth.maximumTokenDays' ? 86_400 : 3_600);
  if (asked.count * asked.unitSeconds <= longest) return undefined;
  const count = longest / asked.unitSeconds;
  const text = Number.isInteger(count) ? `${count}${asked.unit}` : `${longest / 3_600}h`;
  return `${begin} at most ${text} (the controller's ${setting})`;
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
  OutsideGuardrails: '--force carries it out all the same, for role admin',
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
