import { defaultSettings } from '#decision';
import { isJsonObject, type Json } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { evaluate, type Evaluated } from '../../evaluation/evaluate.ts';
import { playground } from '../../messages/playground.ts';
import { formFor, observationOf } from './form-observation.ts';
import type { PolicyText } from './read-policy-text.ts';
import type { Scenario } from './scenario.ts';

const texts = playground.observation;

/** What is wrong with an observation as it was typed. */
export interface ObservationProblem {
  /** Of the text; undefined: it is not known where. */
  readonly line: number | undefined;
  /** JSON Pointer. */
  readonly field: string;
  readonly message: string;
  readonly hint: string;
}

/** What policy and observation come to. */
export type ScenarioReading =
  | { readonly kind: 'NoPolicy' }
  | {
      readonly kind: 'BadObservation';
      readonly policy: EffectivePolicy;
      readonly problem: ObservationProblem;
    }
  | { readonly kind: 'Decided'; readonly evaluated: Extract<Evaluated, { kind: 'Decided' }> };

/** The parts of a scenario that a decision depends on, beside the policy. */
type ObservedScenario = Pick<Scenario, 'observedBy' | 'figures' | 'observation' | 'settings' | 'memory'>;

/** Reads the observation for the policy, with the settings and the memory of the scenario, and decides. */
export function readObservation(
  { policy, document }: PolicyText,
  scenario: ObservedScenario,
): ScenarioReading {
  if (policy === undefined || document === undefined) return { kind: 'NoPolicy' };
  const { observation: text, settings, memory } = scenario;
  const observation =
    scenario.observedBy === 'Json'
      ? parse(text)
      : { value: observationOf(scenario.figures ?? formFor(policy), policy) };
  if ('message' in observation) return { kind: 'BadObservation', policy, problem: observation };
  const evaluated = evaluate({
    policy: document,
    settings: settings ?? defaultSettings,
    observation: observation.value,
    memory: memory ?? {},
  });
  if (evaluated.kind === 'Decided') return { kind: 'Decided', evaluated };
  const { path, message } = evaluated.error;
  const field = path.replace(/^\/observation/, '');
  return {
    kind: 'BadObservation',
    policy,
    problem: { line: lineOf(text, field), field, message, hint: texts.jsonHint },
  };
}

function parse(text: string): { readonly value: Json } | ObservationProblem {
  try {
    const value = JSON.parse(text) as Json;
    return {
      value: isJsonObject(value) && isJsonObject(value['observation']) ? value['observation'] : value,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : texts.notJson;
    return { line: lineOfSyntax(text, message), field: '', message, hint: texts.jsonHint };
  }
}

/** Engines name the line, or the position. */
function lineOfSyntax(text: string, message: string): number | undefined {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
}

/** The line of the field's last name, where it is written once in the text. */
function lineOf(text: string, field: string): number | undefined {
  const name = field.split('/').findLast((part) => !/^\d*$/.test(part));
  const [before, ...after] = name === undefined ? [text] : text.split(JSON.stringify(name));
  return after.length === 1 ? before?.split('\n').length : undefined;
}
