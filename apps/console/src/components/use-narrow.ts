import { useSyncExternalStore } from 'react';

/** Below this a row has two lines. */
const query = '(max-width: 760px)';

/** Whether the page is as narrow as a telephone's. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

function subscribe(listener: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}
