import type { AskingOptions } from './run-asking.ts';

/** What narrows a list, as it is given. */
export interface ListOptions extends AskingOptions {
  readonly namespace?: readonly string[];
  readonly policy?: string;
  readonly source?: string;
  readonly state?: readonly string[];
  readonly kind?: readonly string[];
  readonly action?: string;
  readonly actor?: string;
  readonly commit?: string;
  readonly from?: string;
  readonly until?: string;
  readonly around?: string;
  readonly limit?: string;
  readonly sort?: string;
  readonly reverse?: boolean;
}
