import type { ActResult } from '../../api/act.ts';
import { type Problem, tooManyRequests } from '../../api/problem.ts';
import { actions as texts } from '../../messages/actions.ts';
import type { ActionEffectPartsFragment } from './action-effect.generated.ts';

/** How an action is sent. */
export interface ActionForm {
  /** It is only said what it would do. */
  readonly dryRun: boolean;
  /** RFC 3339; the empty text: the action has no end. */
  readonly expires: string;
  readonly reason: string | null;
  /** The digest of the effect that was looked at. */
  readonly confirm: string | null;
}

/** A preview has an effect, a refusal says why; what was carried out may say what came of it. */
interface Outcome {
  readonly __typename: string;
  readonly effect?: ActionEffectPartsFragment;
  readonly message?: string;
}

/** A mutation, which is sent twice: to be looked at, and to be carried out. */
export interface Action {
  /** What it is done to. */
  readonly name: string;
  readonly send: (form: ActionForm) => Promise<ActResult<{ readonly outcome: Outcome }>>;
}

/** What the server says beforehand, says no with, or why it does not say: it may when it is asked again. */
export type ActionPreview =
  | { readonly kind: 'Effects'; readonly effects: readonly ActionEffectPartsFragment[] }
  | { readonly kind: 'Refusal' | 'NoAnswer'; readonly message: string };

/** What came of it, with why where it was not done, or not all of it. */
export type ActionResult = { readonly kind: 'Done' } | { readonly kind: 'Failed'; readonly message: string };

/** So many are under way at a time, of the sixteen that a caller may have. */
const atATime = 4;

/** What the actions would do, each; the first of which that is not said stands for all. */
export async function lookAtAll(actions: readonly Action[], expires: string): Promise<ActionPreview> {
  const form = { dryRun: true, expires, reason: null, confirm: null };
  const previews = await inTurn(actions, (action) => lookAt(action, form));
  const unsaid = previews.findIndex(({ kind }) => kind !== 'Effects');
  const first = previews[unsaid];
  if (first !== undefined && first.kind !== 'Effects')
    return { ...first, message: namedIn(actions, unsaid, first.message) };
  return {
    kind: 'Effects',
    effects: previews.flatMap((each) => (each.kind === 'Effects' ? each.effects : [])),
  };
}

async function lookAt({ send }: Action, form: ActionForm): Promise<ActionPreview> {
  const answer = await send(form);
  if (answer.kind !== 'Answered') {
    const { code, message } = answer.problem;
    const isPassing = answer.kind === 'Unknown' || code === tooManyRequests;
    return { kind: isPassing ? 'NoAnswer' : 'Refusal', message };
  }
  const { outcome } = answer.data;
  const { effect } = outcome;
  return effect === undefined
    ? { kind: 'Refusal', message: outcome.message ?? outcome.__typename }
    : { kind: 'Effects', effects: [effect] };
}

/** Carries the actions out, each as it was looked at. What fails of several says how many were done, and why the first was not. */
export async function carryOutAll(
  actions: readonly Action[],
  effects: readonly ActionEffectPartsFragment[],
  { reason, expires }: Pick<ActionForm, 'reason' | 'expires'>,
): Promise<ActionResult> {
  const failures = await inTurn(actions, (action, index) => {
    const { requires, digest } = effects[index] ?? {};
    const confirm = requires?.confirm === true ? (digest ?? null) : null;
    return failureOf(action, { dryRun: false, expires, reason, confirm });
  });
  const first = failures.findIndex((failure) => failure !== undefined);
  const failure = failures[first];
  if (failure === undefined) return { kind: 'Done' };
  if (actions.length === 1) return { kind: 'Failed', message: failure };
  const done = failures.filter((each) => each === undefined).length;
  const why = namedIn(actions, first, failure);
  return { kind: 'Failed', message: texts.some(done, actions.length, why) };
}

/** Why the action was not done; undefined: it was. A sync that fails or is rejected was done: its page shows what came of it. */
async function failureOf({ send }: Action, form: ActionForm): Promise<string | undefined> {
  const answer = await send(form);
  if (answer.kind === 'Unknown') return texts.unknown;
  if (answer.kind === 'NotSent') return notSent(answer.problem);
  const { outcome } = answer.data;
  return outcome.__typename === 'ActionRefusal' ? (outcome.message ?? '') : undefined;
}

/** A question is asked again by itself, an action is not. */
function notSent({ kind, code, message }: Problem): string {
  if (kind === 'SignedOut') return texts.signedOut;
  return code === tooManyRequests ? texts.tooMany : message;
}

/** What is said of one, with its name where there are several. */
function namedIn(actions: readonly Action[], index: number, message: string): string {
  return actions.length === 1 ? message : `${actions[index]?.name ?? ''}: ${message}`;
}

/** The effects of several actions as one, to be read. */
export function effectTogether(
  effects: readonly ActionEffectPartsFragment[],
): ActionEffectPartsFragment | undefined {
  const [first] = effects;
  if (first === undefined || effects.length === 1) return first;
  return {
    ...first,
    summary: texts.several(effects.length, first.summary),
    total: effects.reduce((sum, { total }) => sum + total, 0),
    policies: effects.flatMap(({ policies }) => policies),
    changes: effects.flatMap(({ changes }) => changes),
    problems: [...new Set(effects.flatMap(({ problems }) => problems))],
    requires: {
      ...first.requires,
      confirm: effects.some(({ requires }) => requires.confirm),
      force: effects.some(({ requires }) => requires.force),
    },
  };
}

/** The results in the order of the items, a few at a time. */
async function inTurn<T, R>(
  items: readonly T[],
  make: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += atATime) {
    const some = items.slice(start, start + atATime);
    results.push(...(await Promise.all(some.map((item, index) => make(item, start + index)))));
  }
  return results;
}
