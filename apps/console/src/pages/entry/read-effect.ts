import { isJsonObject, type Json, type JsonObject } from '#kernel';

/** What an action did to a policy, as its entry has it. */
export interface RecordedPolicyEffect {
  readonly namespace: string;
  readonly name: string;
  /** Null: the policy comes, or leaves. */
  readonly now: RecordedPicture | null;
  readonly then: RecordedPicture | null;
  readonly direction: string;
}

export interface RecordedPicture {
  readonly bounds: string;
  /** Null: not known. */
  readonly replicas: number | null;
  readonly stopped: string;
  readonly isDryRun: boolean;
}

export interface RecordedEffect {
  readonly summary: string;
  /** Policies that it is about; those beyond the first 20 are not named. */
  readonly total: number;
  readonly changes: readonly string[];
  /** Of what was forced: what guardrails and limits said against it. */
  readonly against: readonly string[];
  readonly policies: readonly RecordedPolicyEffect[];
}

/** The effect of an action as its entry has it; null: it has none. Members that are missing, as of older releases, are left out. */
export function readEffect(effect: unknown): RecordedEffect | null {
  if (!isJsonObject(effect)) return null;
  const { summary, total, changes, against, policies } = effect;
  const named = listOf(policies).filter(isJsonObject).flatMap(policyEffectOf);
  return {
    summary: textOf(summary),
    total: typeof total === 'number' ? total : named.length,
    changes: listOf(changes).filter((change) => typeof change === 'string'),
    against: listOf(against).filter((problem) => typeof problem === 'string'),
    policies: named,
  };
}

function policyEffectOf({ policy, now, then, direction }: JsonObject): readonly RecordedPolicyEffect[] {
  if (policy === undefined || !isJsonObject(policy)) return [];
  const [namespace, name] = [textOf(policy['namespace']), textOf(policy['name'])];
  return [{ namespace, name, now: pictureOf(now), then: pictureOf(then), direction: textOf(direction) }];
}

function pictureOf(picture: Json | undefined): RecordedPicture | null {
  if (picture === undefined || !isJsonObject(picture)) return null;
  const { minReplicas, maxReplicas, replicas, stopped, isDryRun } = picture;
  return {
    bounds: `${countOf(minReplicas)}–${countOf(maxReplicas)}`,
    replicas: typeof replicas === 'number' ? replicas : null,
    stopped: textOf(stopped),
    isDryRun: isDryRun === true,
  };
}

function countOf(value: Json | undefined): string {
  return typeof value === 'number' ? String(value) : '?';
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
