import type { PolicyParserPort } from '#git-sync';
import {
  type Admission,
  admit,
  type DocumentInForce,
  neighboursBefore,
  type RepositoryReading,
} from '#repository';
import { readTree } from './read-tree.ts';
import type { SourceOptions } from './source-options.ts';
import type { SourceTree } from './source-tree.ts';

/** How a tree is judged. */
export interface JudgeOptions extends SourceOptions {
  /** What counts as in force; none: the rules about policies in force have nothing to say. */
  readonly inForce?: readonly DocumentInForce[];
  /** The tree that they are of. */
  readonly before?: SourceTree;
  readonly parser: PolicyParserPort;
}

/** A tree as a source would read and admit it. */
export interface JudgedTree {
  readonly reading: RepositoryReading;
  readonly admission: Admission;
}

/** Reads a tree as the controller reads a commit, and judges it. */
export async function judgeTree(tree: SourceTree, options: JudgeOptions): Promise<JudgedTree> {
  const { repository, read, inForce = [], before, parser } = options;
  const filesInForce = new Set(inForce.map(({ source }) => source.file));
  const { reading, missing } = await readTree(tree, { repository, parser, filesInForce });
  const blobs = new Map(before?.files.map(({ path, id }) => [path, id]));
  const admission = admit({
    reading,
    inForce: { documents: inForce, wasActivated: inForce.length > 0 },
    options: repository,
    context: { read, tenant: (name) => repository.tenants.find((tenant) => tenant.name === name) },
    foreign: [],
    heldBack: new Set(),
    released: new Set(),
    missing,
    ...neighboursBefore((file) => bytesOf(before, file)),
    isChanged: (file) => blobs.get(file.path) !== file.blob,
    mayContain: () => true,
  });
  return { reading, admission };
}

function bytesOf(tree: SourceTree | undefined, path: string): Uint8Array | undefined {
  const file = tree?.files.find((each) => each.path === path);
  const found = file === undefined ? undefined : tree?.content(file);
  return found?.kind === 'Bytes' ? found.bytes : undefined;
}

/** The documents that a tree would bring into force, where nothing was before: its valid tenants'. */
export function documentsInForce({ admission }: JudgedTree): readonly DocumentInForce[] {
  return admission.tenants.flatMap(({ status, documents, policies }) => {
    if (status !== 'Advances') return [];
    const resolved = new Map(policies.map((each) => [each.source, each]));
    return documents.map((source): DocumentInForce => {
      const found = resolved.get(source);
      return found === undefined ? { source } : { source, policy: found.policy, document: found.document };
    });
  });
}
