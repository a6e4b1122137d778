/** Limits become SQL text, so they are checked at run time, too. @throws RangeError */
export function within(name: string, value: number, maximum: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > maximum)
    throw new RangeError(`${name} is ${value}, allowed are 0 to ${maximum}`);
}
