import { createStore, type Store } from './store.ts';

/** `system`: as the operating system says. */
export type Theme = 'system' | 'light' | 'dark';

/** How times are written. */
export type TimeZoneChoice = 'utc' | 'local';

const themes: readonly Theme[] = ['system', 'light', 'dark'];
const zones: readonly TimeZoneChoice[] = ['utc', 'local'];

export const theme = kept('plimsoll.theme', themes, 'system');
export const timeZone = kept('plimsoll.time-zone', zones, 'utc');

/** The next of the themes, as the switch goes through them. */
export function nextTheme(current: Theme): Theme {
  return themes[(themes.indexOf(current) + 1) % themes.length] ?? 'system';
}

/** Shows the page in the theme that was chosen, now and whenever it changes. */
export function followTheme(): void {
  const show = (): void => {
    const chosen = theme.get();
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
  };
  theme.subscribe(show);
  show();
}

/** A choice that the browser keeps; where it keeps nothing, it lasts as long as the page. */
function kept<T extends string>(key: string, choices: readonly T[], initial: T): Store<T> {
  const store = createStore(choices.find((choice) => choice === read(key)) ?? initial);
  store.subscribe(() => write(key, store.get()));
  return store;
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is full or forbidden: the choice is in force all the same.
  }
}
