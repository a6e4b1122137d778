import { readPolicyFile } from '#policy';
import type { LossInput } from './commit-index.ts';

/**
 * Finds what stood in a file before: a Deployment and an HPA of one name in one file are common, and taking the HPA away
 * leaves no changed kind. `before` gives a file's bytes as they were in the active revision; undefined where it is not at
 * hand, and then nothing was in it.
 */
export function neighboursBefore(
  before: (file: string) => Uint8Array | undefined,
): Pick<LossInput, 'wasBeside' | 'wasThere'> {
  const known = new Map<string, Neighbours>();
  const of = (file: string): Neighbours => {
    const found = known.get(file) ?? readNeighbours(file, before(file));
    known.set(file, found);
    return found;
  };
  return {
    wasBeside: ({ file, name }, kind) => of(file).names.has(`${kind} ${name}`),
    wasThere: ({ file, kind, namespace, name }) => of(file).ours.has(`${kind} ${namespace}/${name}`),
  };
}

interface Neighbours {
  /** `HorizontalPodAutoscaler web`, of any kind. */
  readonly names: ReadonlySet<string>;
  /** `HorizontalPodAutoscaler shop/web`, as written, of kinds of ours. */
  readonly ours: ReadonlySet<string>;
}

function readNeighbours(file: string, bytes: Uint8Array | undefined): Neighbours {
  if (bytes === undefined) return { names: new Set(), ours: new Set() };
  const { documents, others } = readPolicyFile({ file, bytes, isInForce: true });
  return {
    names: new Set([...documents, ...others].map(({ kind, name }) => `${String(kind)} ${name ?? ''}`)),
    ours: new Set(
      documents.map(({ kind, namespace, name }) => `${String(kind)} ${namespace ?? ''}/${name ?? ''}`),
    ),
  };
}
