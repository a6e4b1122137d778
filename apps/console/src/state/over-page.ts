import type { ReactElement } from 'react';
import { createStore } from './store.ts';

/**
 * The dialog of an action. It stays while what it was opened from goes, such as a hold that somebody else decides: what was
 * typed is not lost, and the server says what has become of it. It goes with the page.
 */
export const overPage = createStore<ReactElement | undefined>(undefined);

/** What a dialog over the page is closed by. */
export function closeOverPage(): void {
  overPage.set(undefined);
}
