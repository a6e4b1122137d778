import { AdapterError } from '#kernel';
import { parseCheckpointNote } from '#ledger';

/**
 * The notes that come after the last one that a sink has.
 *
 * @throws AdapterError `Equivocation` where it has another note of the same number, `ForeignCheckpoint` where it is of
 * another ledger
 */
export function lacking(last: string | null, notes: readonly string[]): readonly string[] {
  const has = last === null ? null : parseCheckpointNote(last);
  if (has === null || last === null) return notes;
  return notes.filter((text) => {
    const note = parseCheckpointNote(text);
    if (note === null) return false;
    if (note.body.origin !== has.body.origin)
      throw contradiction('ForeignCheckpoint', 'it has checkpoints of another ledger', [last, text]);
    if (note.body.number === has.body.number && note.bodyText !== has.bodyText)
      throw contradiction('Equivocation', `two checkpoints of number ${note.body.number}`, [last, text]);
    return note.body.number > has.body.number;
  });
}

/** An error that shows both notes. */
function contradiction(code: string, what: string, [theirs, ours]: readonly [string, string]): AdapterError {
  return new AdapterError({
    code,
    message: `${what}: there is\n${theirs}\nand here is\n${ours}`,
    retryable: false,
  });
}
