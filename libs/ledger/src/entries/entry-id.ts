import { isStreamName } from './stream-name.ts';

/** Where an entry is: its stream and its number there. The same in every copy and export of the ledger. */
export interface EntryAddress {
  readonly stream: string;
  /** From 1, without gaps. */
  readonly seq: bigint;
}

const form = /^([^#]+)#([1-9][0-9]{0,18})$/;
const largestSeq = 2n ** 63n - 1n;

/** An address as one text, `<stream>#<seq>`: the id by which entries refer to each other and the API names them. */
export function entryId({ stream, seq }: EntryAddress): string {
  return `${stream}#${seq}`;
}

/** The address that an id stands for; `null` when the text is no id. */
export function parseEntryId(id: string): EntryAddress | null {
  const [, stream, digits] = form.exec(id) ?? [];
  if (stream === undefined || digits === undefined || !isStreamName(stream)) return null;
  const seq = BigInt(digits);
  return seq > largestSeq ? null : { stream, seq };
}
