/** Goes to the page's search field; false: it has none that is seen. */
export function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('[data-keys="search"]');
  if (field === null || field.offsetParent === null) return false;
  field.focus();
  return true;
}

/** Goes to the page's table, which has keys of its own; else so many rows on in its list, to what opens a row. */
export function moveInList(steps: 1 | -1): void {
  const table = document.querySelector<HTMLElement>('[data-keys="table"]');
  if (table !== null) {
    table.focus();
    return;
  }
  const rows = [...document.querySelectorAll<HTMLElement>('[data-keys="row"]')];
  const index = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[index === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, index + steps))];
  const opener = next?.matches('a, button') === true ? next : next?.querySelector<HTMLElement>('a, button');
  opener?.focus();
}
