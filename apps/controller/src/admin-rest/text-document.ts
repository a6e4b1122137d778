import type { Readable } from 'node:stream';

/** A text that an operation answers with. */
export interface TextDocument {
  /** Of the operation's types. */
  readonly type: string;
  /** What a file of it is called. */
  readonly name: string;
  readonly bytes: number;
  readonly open: () => Promise<Readable>;
}
