import { interventions } from '../../messages/interventions.ts';
import { stateTexts } from '../../messages/states.ts';

/** `DryRun by demo until …`, as the controller writes it of an intervention. */
const interventionKinds = /\b(Suspend|Override|DryRun) by (?=.+ until )/g;

/** `BlastRadius: 13 targets change`, `still held: Unverified: …`: the name of a cause before the sentence that says it. */
const causeNames =
  /(?<=^|; |\bheld: )(?:NotDescendant|Unverified|NothingTaken|PruneToEmpty|BlastRadius|ScaleInByBound|SourceChanged|RolledBack): /g;

/** A sentence of the controller with the kinds of interventions in words. */
export function plainKinds(text: string): string {
  return text.replace(
    interventionKinds,
    (_, kind: keyof typeof interventions.states) => `${stateTexts[interventions.states[kind]].word} by `,
  );
}

/** The code of a failure that says no more than what Git said. */
const unknownFailure = 'GitFailed';

/**
 * `Unreachable: fetch of main: the Git server cannot be reached (fatal: … 10.0.0.7 …)`: why a look failed, without the name
 * that the API gives it, and without what Git said, which names addresses, where there are other words for it.
 */
export function plainFailure(text: string): string {
  const [, code, sentence] = /^([A-Z]\w*): (.+)$/s.exec(text) ?? [];
  if (sentence === undefined) return text;
  return code === unknownFailure ? sentence : withoutLastParentheses(sentence);
}

/** Those that end it, with all that is in them; what they leave empty stays. */
function withoutLastParentheses(text: string): string {
  let depth = text.endsWith(')') ? 1 : 0;
  let start = text.length - 1;
  while (depth > 0 && start > 0) {
    start -= 1;
    if (text[start] === ')') depth += 1;
    if (text[start] === '(') depth -= 1;
  }
  return depth > 0 || start === 0 || !text.endsWith(')') ? text : text.slice(0, start).trimEnd();
}

/** What a look came to, by its result, in words. */
export function plainLook(result: string, message: string): string {
  return result === 'failed' ? plainFailure(message) : plainCauses(message);
}

/** What a look at a source came to, without the names that the API gives the causes of a hold. */
export function plainCauses(text: string): string {
  return text.replace(causeNames, '');
}
