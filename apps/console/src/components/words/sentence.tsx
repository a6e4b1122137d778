import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { plainQuantities } from './plain-quantities.ts';
import { plainTimes } from './plain-times.ts';
import { plainKinds } from './plain-words.ts';

/** What the controller says of a pass or a rule, with quantities, names and times as they are written everywhere. */
export function Sentence({ text }: { readonly text: string }): string {
  const zone = useStore(timeZone);
  return plainTimes(plainKinds(plainQuantities(text)), zone);
}
