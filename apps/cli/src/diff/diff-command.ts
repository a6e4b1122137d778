import type { PolicyFileDocument } from '#policy';
import { PolicyFileCache, type RepositoryDocument, type ResolveCache } from '#repository';
import { readTree } from '../repository/read-tree.ts';
import { type ResolvedTree, resolveTree } from '../repository/resolve-tree.ts';
import { readSourceOptions, type SourceArguments } from '../repository/source-options.ts';
import type { SourceTree } from '../repository/source-tree.ts';
import { UnusableError } from '../repository/unusable-error.ts';
import { findRoot, readRevision, readWorkTree } from '../repository/work-tree.ts';
import type { DiffReport } from './diff-report.ts';
import { diffTrees } from './diff-trees.ts';
import { formatHuman } from './formats/human.ts';
import { formatJson } from './formats/json.ts';
import { readRange } from './revision-range.ts';

/** What the command line holds, beside the range. */
export interface DiffArguments extends SourceArguments {
  readonly root?: string;
  readonly format: 'human' | 'json';
  readonly exitCode?: boolean;
}

/** Runs `plimsoll diff`: 0 compared, 1 errors at the head (or changes, where asked), 2 could not run. */
export function runDiff(range: string, options: DiffArguments): void {
  // The YAML parser looks into the environment at every token, which is slow through Node's live object.
  process.env = { ...process.env };
  try {
    const report = diffRange(range, options);
    const isColoured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
    process.stdout.write(
      options.format === 'json' ? formatJson(report) : formatHuman(report, { isColoured }),
    );
    const isDifferent = options.exitCode === true && report.differences.length > 0;
    process.exitCode = report.errors.length > 0 || isDifferent ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UnusableError)) throw error;
    process.stderr.write(`plimsoll: ${error.message}\n`);
    process.exitCode = 2;
  }
}

/** Compares the two ends of a range. Throws `UnusableError`. */
export function diffRange(range: string, options: DiffArguments): DiffReport {
  const source = readSourceOptions(options);
  const { fileBytes } = source.repository.limits;
  const root = findRoot('.', options.root);
  const { base, head } = readRange(root, range);
  // A file that is the same on both sides is parsed and validated once.
  const files = new PolicyFileCache();
  const documents = new WeakMap<PolicyFileDocument, RepositoryDocument>();
  const resolutions: ResolveCache = new WeakMap();
  const read = (tree: SourceTree): ResolvedTree => {
    const { reading } = readTree(tree, { ...source, readFile: files.begin(), known: documents });
    return resolveTree(reading, { ...source, known: resolutions });
  };
  const before = read(readRevision(root, base, fileBytes));
  const after = read(
    head === undefined ? readWorkTree(root, fileBytes) : readRevision(root, head, fileBytes),
  );
  const differences = diffTrees(before, after);
  const touched = new Set(differences.map(({ policy }) => policy));
  const unchanged = [...after.policies.keys()].filter((policy) => !touched.has(policy)).length;
  return { base, ...(head !== undefined && { head }), differences, unchanged, errors: after.errors };
}
