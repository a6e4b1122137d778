import { pipeline, type Readable, Transform } from 'node:stream';

/** A text that an operation answers with. */
export interface TextDocument {
  /** Of the operation's types. */
  readonly type: string;
  /** What a file of it is called. */
  readonly name: string;
  readonly bytes: number;
  readonly open: () => Promise<Readable>;
}

/** A text that ends, cut off, with the part before which it may not go on; until then it goes on part by part. */
export function textWhile(text: Readable, requireGoingOn: () => Promise<void>): Readable {
  const bounded = new Transform({
    transform: (part, _, done) => {
      requireGoingOn().then(() => done(null, part), done);
    },
  });
  // Each ends with the other; what went wrong is the reader's error.
  return pipeline(text, bounded, () => undefined);
}
