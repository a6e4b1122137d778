/** Takes steps to their end, for a caller that has nothing else to serve in between. */
export function runSteps<T>(steps: Iterator<void, T, void>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
