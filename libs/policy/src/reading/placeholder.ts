import type { Finding } from './place.ts';
import { showValue } from './show-value.ts';

/** Whether a text has what a template left behind: `${NAME}`. */
export function hasPlaceholder(text: string): boolean {
  const start = text.indexOf('${');
  return start >= 0 && text.includes('}', start + 2);
}

/** The finding for a name or number that still has a `${…}` in it. */
export function placeholderLeft(name: string, value: string): Finding {
  return {
    code: 'Placeholder',
    message: `${name} has a placeholder that nothing fills in: ${showValue(value)}`,
    hint: 'commit the rendered manifest, or point a source at the rendered output',
  };
}
