import { AdapterError } from '#kernel';
import { type CheckpointNote, isSignedWith, parseCheckpointNote, type SigningKey } from '#ledger';

/**
 * The notes that come after the last one that a sink has.
 *
 * @throws AdapterError `Equivocation` where it has another note of the same number, `ForeignCheckpoint` where it is of
 * another ledger, `UnsignedCheckpoint` where it is later than all of them and not signed with their key: whoever can write to
 * the sink would end it by a number that is never reached
 */
export function lacking(
  last: string | null,
  notes: readonly string[],
  publicKey: SigningKey['publicKey'],
): readonly string[] {
  const has = last === null ? null : parseCheckpointNote(last);
  if (has === null || last === null) return notes;
  const lacked = notes.filter((text) => {
    const note = parseCheckpointNote(text);
    if (note === null) return false;
    if (note.body.origin !== has.body.origin)
      throw contradiction('ForeignCheckpoint', 'it has checkpoints of another ledger', [last, text]);
    if (note.body.number === has.body.number && note.bodyText !== has.bodyText)
      throw contradiction('Equivocation', `two checkpoints of number ${note.body.number}`, [last, text]);
    return note.body.number > has.body.number;
  });
  const [newest] = notes.slice(-1);
  if (newest !== undefined && isLater(has, newest) && !isSignedWith(has, publicKey)) {
    const what = `it has a later checkpoint, ${has.body.number}, which is not signed with the present key`;
    throw contradiction('UnsignedCheckpoint', what, [last, newest]);
  }
  return lacked;
}

function isLater({ body }: CheckpointNote, text: string): boolean {
  const note = parseCheckpointNote(text);
  return note !== null && body.number > note.body.number;
}

/** An error that shows both notes. */
function contradiction(code: string, what: string, [theirs, ours]: readonly [string, string]): AdapterError {
  return new AdapterError({
    code,
    message: `${what}: there is\n${theirs}\nand here is\n${ours}`,
    retryable: false,
  });
}
