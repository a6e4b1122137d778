import type { Fields } from './fields.ts';
import { hasPlaceholder, placeholderLeft } from './placeholder.ts';
import { showValue } from './show-value.ts';

/** Says what is wrong with a text, or `undefined`: `must not contain /`. */
export type Fault = (text: string) => string | undefined;

/** A field that holds a name: required, not empty, without placeholder, and as the rule wants it. */
export function readName(fields: Fields, name: string, fault: Fault): string | undefined {
  const text = fields.requiredString(name);
  return text === undefined || hasFault(fields, { name, text, fault }) ? undefined : text;
}

/** As {@link readName}, where the field may be left out or empty. */
export function readOptionalName(fields: Fields, name: string, fault: Fault): string | undefined {
  const text = fields.string(name);
  if (text === undefined || text === '') return undefined;
  return hasFault(fields, { name, text, fault }) ? undefined : text;
}

function hasFault(fields: Fields, given: { name: string; text: string; fault: Fault }): boolean {
  const { name, text, fault } = given;
  if (hasPlaceholder(text)) {
    fields.report(name, placeholderLeft(name, text));
    return true;
  }
  const message = fault(text);
  if (message !== undefined)
    fields.report(name, { code: 'InvalidValue', message: `${name} ${message}, is ${showValue(text)}` });
  return message !== undefined;
}
