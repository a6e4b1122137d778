/** The texts that every action has. */
export const actions = {
  reason: 'Reason',
  reasonHint: 'For the readers of the ledger.',
  expires: 'Until',
  cancel: 'Cancel',
  looking: 'Looking what it would do',
  will: 'What it will do',
  forbidden: 'You may not do this',
  forbiddenText: (role: string, where: string) =>
    `It wants the role ${role} in ${where === '*' ? 'every namespace' : where}.`,
  selected: (count: number) => `${count} selected`,
  clearSelection: 'Clear the selection',
  unknownCount: 'unknown',
  confirm: 'I have read what it will do',
  unknown: 'The answer did not come: it may or may not have been carried out. Look before you try again.',
  signedOut: 'It was not carried out: your session had ended. Sign in, and send it again.',
  tooMany:
    'It was not carried out: the controller has had too many requests of yours. Send it again in a moment.',
  several: (count: number, first: string) => `${count} actions: ${first}, and so on`,
  some: (done: number, all: number, why: string) => `${done} of ${all} done. ${why}`,
  durations: { '15m': '15 minutes', '1h': '1 hour', '4h': '4 hours', '24h': '24 hours' },
} as const;
