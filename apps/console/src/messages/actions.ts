import { countText } from './count-text.ts';

/** Those that a role's actions are open to. */
const holders: Readonly<Record<string, string>> = {
  operator: 'An operator, approver or admin',
  approver: 'An approver or admin',
  admin: 'An admin',
};

/** `shop, billing and media` */
function placesText(places: readonly string[]): string {
  const names = places.map((place) => (place === '*' ? 'every namespace' : place));
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** `15 minutes`, `4 hours`, `7 days`: days where there are several, and no part of one. */
function durationText(hours: number): string {
  if (hours < 1) return `${hours * 60} minutes`;
  if (hours > 24 && hours % 24 === 0) return `${hours / 24} days`;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

/** The texts that every action has. */
export const actions = {
  reason: 'Reason',
  reasonHint: 'For the readers of the ledger.',
  tooLong: (excess: number, maximum: number) =>
    `${countText(excess)} ${excess === 1 ? 'character' : 'characters'} too many: ${countText(maximum)} are the most.`,
  expires: 'Until',
  cancel: 'Cancel',
  looking: 'Looking what it would do',
  will: 'What it will do',
  forbidden: 'You may not do this',
  forbiddenText: (role: string, places: readonly string[]) =>
    `It wants the role ${role} in ${placesText(places)}.`,
  whoCould: (role: string, places: readonly string[]) =>
    `${holders[role] ?? 'Another'} of ${placesText(places)} could.`,
  /** Beside several actions, of which some are forbidden. */
  forbiddenHere: (forbidden: readonly { readonly titles: readonly string[]; readonly whoCould: string }[]) =>
    forbidden
      .map(({ titles, whoCould }, index) => {
        const which = titles.join(', ');
        return index === 0 ? `Not with your role: ${which}. ${whoCould}` : `Nor ${which}. ${whoCould}`;
      })
      .join(' '),
  selected: (count: number) => `${count} selected`,
  clearSelection: 'Clear the selection',
  unknownCount: 'unknown',
  underWay:
    'It was sent, and the controller is at it. It goes on when this is closed; the audit has what became of it.',
  confirm: 'I have read what it will do',
  unknown: 'The answer did not come: it may or may not have been carried out. Look before you try again.',
  signedOut: 'It was not carried out: your session had ended. Sign in, and send it again.',
  /** Of what guardrails or limits forbid: no page forces it. */
  forceOnly: 'It will be refused here. An admin can force it, by plimsoll override with --force.',
  tooMany:
    'It was not carried out: the controller has had too many requests of yours. Send it again in a moment.',
  several: (count: number, first: string) => `${count} actions: ${first}, and so on`,
  some: (done: number, all: number, why: string) => `${done} of ${all} done. ${why}`,
  duration: durationText,
} as const;
