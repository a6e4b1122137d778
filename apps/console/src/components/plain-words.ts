import { interventions } from '../messages/interventions.ts';
import { stateTexts } from '../messages/states.ts';

/** `DryRun by demo until …`, as the controller writes it of an intervention. */
const interventionKinds = /\b(Suspend|Override|DryRun) by (?=.+ until )/g;

/** `BlastRadius: 13 targets change`: the name of a cause at the beginning of the sentence that says it. */
const causeNames = /(?<=^|; )(?:[A-Z][a-z]+){2,}: /g;

/** A sentence of the controller with the kinds of interventions in words. */
export function plainKinds(text: string): string {
  return text.replace(
    interventionKinds,
    (_, kind: keyof typeof interventions.states) => `${stateTexts[interventions.states[kind]].word} by `,
  );
}

/** What a look at a source came to, without the names that the API gives the causes of a hold. */
export function plainCauses(text: string): string {
  return text.replace(causeNames, '');
}
