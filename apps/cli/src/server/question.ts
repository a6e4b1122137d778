import { printableLines, printableTexts } from '../printable.ts';
import type { Ask } from './api-client.ts';

/** Options that every command has that asks a controller. */
export interface AskingOptions {
  readonly context?: string;
  readonly output?: string;
  /** Asks again and again, until it is interrupted. */
  readonly watch?: boolean;
}

/** What is asked, and how its answer looks to people. */
export interface Question<T> {
  readonly load: (ask: Ask) => Promise<T>;
  /** Of nothing but the value, whose texts are harmless by then: see `shownText`. */
  readonly show: (value: T) => string | Promise<string>;
  /** What of it scripts get; absent: the whole. */
  readonly forScripts?: (value: T) => unknown;
  /** It is one text, of which single lines say nothing: where it is watched, it is printed as a whole again; absent: lines. */
  readonly isOneText?: true;
}

/** An answer as a person sees it. Its lines and colours are our own, whatever others have written into it. */
export async function shownText<T>({ show }: Question<T>, value: T): Promise<string> {
  return printableLines(await show(printableTexts(value)));
}

/** What of an answer scripts get: as the controller has it. */
export function scriptedValue<T>({ forScripts }: Question<T>, value: T): unknown {
  return forScripts === undefined ? value : forScripts(value);
}
