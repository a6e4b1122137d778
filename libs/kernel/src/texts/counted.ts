/** A number of things with their noun: `1 stream`, `448 entries`; a number that a person reads may come as text, as `1,264`. */
export function counted(count: number | bigint | string, noun: string, plural = `${noun}s`): string {
  return `${count} ${String(count) === '1' ? noun : plural}`;
}
