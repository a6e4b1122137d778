/**
 * Names the editors of GraphiQL for screen readers, lets their regions be scrolled by keys, and leaves the tab key to the
 * browser: an editor that keeps it would keep those who use no mouse.
 *
 * @returns what ends it
 */
export function describeEditors(): () => void {
  const observer = new MutationObserver(describe);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('keydown', leaveTab, { capture: true });
  describe();
  return () => {
    observer.disconnect();
    document.removeEventListener('keydown', leaveTab, { capture: true });
  };
}

function describe(): void {
  for (const editor of document.querySelectorAll('.CodeMirror')) {
    const name = editor.closest('section')?.getAttribute('aria-label');
    editor.querySelector('textarea:not([aria-label])')?.setAttribute('aria-label', name ?? 'Editor');
    editor.querySelector('.CodeMirror-scroll[tabindex="-1"]')?.setAttribute('tabindex', '0');
  }
}

function leaveTab(event: KeyboardEvent): void {
  const isInEditor = event.target instanceof Element && event.target.closest('.CodeMirror') !== null;
  if (event.key === 'Tab' && isInEditor) event.stopPropagation();
}
