import {
  decide,
  type DecideInput,
  type DecideInputError,
  type DecideOutput,
  parseDecideInput,
} from '#decision';

/** What an input comes to: a decision, or why it is no input. */
export type Evaluated =
  | { readonly kind: 'Decided'; readonly input: DecideInput; readonly output: DecideOutput }
  | { readonly kind: 'Unusable'; readonly error: DecideInputError };

/** Reads an input and decides, by the library that the controller decides with. */
export function evaluate(value: unknown): Evaluated {
  const input = parseDecideInput(value);
  if (!input.ok) return { kind: 'Unusable', error: input.error };
  return { kind: 'Decided', input: input.value, output: decide(input.value) };
}
