/** Of the element that has what a page shows; the link past the header leads there. */
export const contentId = 'content';

/** Gives the focus to the page where nothing else has it: what had it is gone, and the next key would begin at the top. */
export function keepFocus(): void {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) focusPage();
}

/** Gives the focus to what the page shows, as a whole. */
export function focusPage(): void {
  document.getElementById(contentId)?.focus({ preventScroll: true });
}
