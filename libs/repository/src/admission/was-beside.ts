import { readPolicyFile } from '#policy';
import type { LossInput } from './judge-losses.ts';

/**
 * Finds what a document in force was beside in its file: a Deployment and an HPA of one name in one file are common, and
 * taking the HPA away leaves no changed kind. `before` gives a file's bytes as they were in the active revision;
 * undefined where it is not at hand, and then nothing was beside it.
 */
export function wasBesideIn(before: (file: string) => Uint8Array | undefined): LossInput['wasBeside'] {
  const known = new Map<string, ReadonlySet<string>>();
  return ({ file, name }, kind) => {
    const found = known.get(file) ?? kindsAndNames(file, before(file));
    known.set(file, found);
    return found.has(`${kind} ${name}`);
  };
}

function kindsAndNames(file: string, bytes: Uint8Array | undefined): ReadonlySet<string> {
  if (bytes === undefined) return new Set();
  const { documents, others } = readPolicyFile({ file, bytes, isInForce: true });
  return new Set([...documents, ...others].map(({ kind, name }) => `${String(kind)} ${name ?? ''}`));
}
