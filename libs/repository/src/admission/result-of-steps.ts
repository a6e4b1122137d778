/** Takes the steps of a generator to their end at once. */
export function resultOfSteps<T>(steps: Iterator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
