import { useMedia } from './use-media.ts';

/** Whether the page is as narrow as a telephone's: below this a row has two lines. */
export function useNarrow(): boolean {
  return useMedia('(max-width: 760px)');
}
