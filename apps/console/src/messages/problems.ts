/** Why there is no answer. */
export const problems = {
  unreachable: 'The controller does not answer.',
  cutOff: 'The answer could not be read to its end.',
  otherThanAsked: (path: string) =>
    `The answer is not what was asked for (${path}). Where the controller was upgraded, load this page anew.`,
  ended: 'Your session has ended.',
  empty: 'The answer was empty.',
  tooMany: 'The controller has had too many requests of yours. It is asked again soon.',
  notReady: 'The controller is not ready to answer. It is asked again soon.',
  status: (status: number) => `The controller answered ${status}.`,
} as const;
