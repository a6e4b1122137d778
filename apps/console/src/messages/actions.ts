/** The texts that every action has. */
export const actions = {
  reason: 'Reason',
  reasonHint: 'For the readers of the ledger.',
  expires: 'Until',
  cancel: 'Cancel',
  looking: 'Looking what it would do',
  will: 'What it will do',
  forbidden: 'You may not do this',
  forbiddenText: (role: string, where: string) => `It wants the role ${role} in ${where}.`,
  everywhere: 'every namespace',
  unknownCount: 'unknown',
  others: (count: number) => `and ${count} more`,
  confirm: 'I have read what it will do',
  done: 'Done',
  unknown: 'The answer did not come: it may or may not have been carried out. Look before you try again.',
  durations: { '15m': '15 minutes', '1h': '1 hour', '4h': '4 hours', '24h': '24 hours' },
} as const;
