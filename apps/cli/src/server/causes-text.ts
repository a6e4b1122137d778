import type { Hold } from '#contracts';

const maximumItems = 3;

/** Why something is held. Of a bound that takes replicas away it is the numbers that count: they come first. */
export function causesText(causes: Hold['causes']): string {
  return causes.map(causeText).join('; ');
}

function causeText({ code, message, items }: Hold['causes'][number]): string {
  if (code !== 'ScaleInByBound' || items.length === 0) return message;
  const others = items.length - maximumItems;
  const named = items.slice(0, maximumItems).join(', ');
  return `${named}${others > 0 ? ` and ${others} more` : ''}: ${message}`;
}
