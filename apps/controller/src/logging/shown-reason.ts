import { shortText } from '#kernel';

/** What is longer stands in the log. */
const shownCharacters = 300;

/** A reason as every viewer is shown it: its first line, cut to 300 characters. */
export function shownReason(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return shortText(line, shownCharacters);
}
