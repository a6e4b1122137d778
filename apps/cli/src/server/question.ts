import type { ApiRequest } from './api-client.ts';

/** Options that every command has that asks a controller. */
export interface AskingOptions {
  readonly context?: string;
  readonly output?: string;
  /** Asks again and again, until it is interrupted. */
  readonly watch?: boolean;
}

/** What is asked, and how its answer looks to people. */
export interface Question<T> {
  readonly load: (ask: <A>(request: ApiRequest) => Promise<A>) => Promise<T>;
  readonly show: (value: T) => string | Promise<string>;
}
