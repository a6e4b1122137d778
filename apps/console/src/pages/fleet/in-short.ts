import { plainQuantities } from '../../components/words/plain-quantities.ts';
import { plainKinds } from '../../components/words/plain-words.ts';

/** What every pass says that nothing keeps from deciding, what stands before the first error of metrics, and whose count it is. */
const commonplaces = [/^decides again: /, /^.*first error is: /, /^[^\s/]+\/\S+ (?=\d+ → )/];

/** The message of a pass without what many have in common: a row has room for its beginning only. */
export function inShort(message: string): string {
  return plainKinds(
    plainQuantities(commonplaces.reduce((text, commonplace) => text.replace(commonplace, ''), message)),
  );
}
