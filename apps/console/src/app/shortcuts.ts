import { useLayoutEffect, useRef } from 'react';

/** What a key, or two keys one after the other, do: `g f`, `/`, `?`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** The second key of a pair comes within this time. */
const pairMilliseconds = 1_000;

/** Acts on keys that are pressed outside fields and dialogs; Ctrl-K and ⌘-K everywhere. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  // Before anything is seen: a key that is pressed at once is not lost.
  useLayoutEffect(() => {
    let first: { readonly key: string; readonly time: number } | undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      const key = keyOf(event);
      if (key === undefined) return;
      const pair =
        first !== undefined && event.timeStamp - first.time < pairMilliseconds ? `${first.key} ${key}` : key;
      first = { key, time: event.timeStamp };
      const action = latest.current[pair] ?? latest.current[key];
      if (action === undefined) return;
      first = undefined;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The key as shortcuts name it; undefined: it is typed into something. */
function keyOf(event: KeyboardEvent): string | undefined {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') return 'mod k';
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  // The editor is in a shadow tree, whose events say elsewhere that they come from its host.
  return isTyping(event.composedPath()[0] ?? null) ? undefined : event.key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, [role="dialog"]') !== null;
}
