import type { Hold } from '#contracts';
import { nameSome } from '#kernel';

const maximumItems = 3;

/** Why something is held, by the codes that the documents explain, as the sentence of a look has them. */
export function causesText(causes: Hold['causes']): string {
  return causes.map((cause) => `${cause.code}: ${causeText(cause)}`).join('; ');
}

/** Of a bound that takes replicas away it is the numbers that count: they come first. */
function causeText({ code, message, items }: Hold['causes'][number]): string {
  if (code !== 'ScaleInByBound' || items.length === 0) return message;
  const [item = ''] = items;
  const policy = `${item.slice(0, item.indexOf(' '))}: `;
  // The message is about the first of them: where that is the only one, it has been named.
  const isNamed = items.length === 1 && message.startsWith(policy);
  return `${nameSome(items, maximumItems)}: ${isNamed ? message.slice(policy.length) : message}`;
}
