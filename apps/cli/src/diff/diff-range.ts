import type { PolicyParserPort } from '#git-sync';
import type { PolicyFileDocument } from '#policy';
import { PolicyFileCache, type RepositoryDocument, type ResolveCache } from '#repository';
import { printableLines, printableTexts } from '../printable.ts';
import { readTree } from '../repository/read-tree.ts';
import { type ResolvedTree, resolveTree } from '../repository/resolve-tree.ts';
import { type Environment, readSourceOptions, type SourceArguments } from '../repository/source-options.ts';
import {
  findRoot,
  readRevision,
  readWorkTree,
  requirePath,
  type SourceTree,
} from '../repository/source-tree.ts';
import { withParser } from '../repository/with-parser.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
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

/** What a comparison runs in. */
export interface DiffSurroundings {
  readonly environment: Environment;
  readonly parser: PolicyParserPort;
}

/** Compares the two ends of a range and prints what differs; 1 on errors at the head, or, where asked, on changes. */
export async function diff(range: string, options: DiffArguments, terminal: Terminal): Promise<ExitStatus> {
  const { environment } = terminal;
  const report = await withParser((parser) => diffRange(range, options, { environment, parser }));
  const text =
    options.format === 'json'
      ? formatJson(report)
      : printableLines(formatHuman(printableTexts(report), terminal));
  terminal.output.write(text);
  const isDifferent = options.exitCode === true && report.differences.length > 0;
  return report.errors.length > 0 || isDifferent ? 1 : 0;
}

/**
 * Compares the two ends of a range.
 *
 * @throws UnusableError
 */
export async function diffRange(
  range: string,
  options: DiffArguments,
  { environment, parser }: DiffSurroundings,
): Promise<DiffReport> {
  const source = readSourceOptions(options, environment);
  const { fileBytes } = source.repository.limits;
  const root = findRoot('.', options.root);
  const { base, head } = readRange(root, range);
  // A file that is the same on both sides is parsed and validated once.
  const files = new PolicyFileCache();
  const documents = new WeakMap<PolicyFileDocument, RepositoryDocument>();
  const resolutions: ResolveCache = new WeakMap();
  const read = async (tree: SourceTree): Promise<ResolvedTree> => {
    const { reading } = await readTree(tree, { ...source, parser, files, documents });
    return resolveTree(reading, { ...source, known: resolutions });
  };
  const before = await read(readRevision(root, base, fileBytes));
  const tree = head === undefined ? readWorkTree(root, fileBytes) : readRevision(root, head, fileBytes);
  if (source.repository.path !== '') requirePath(tree, source.repository.path);
  const after = await read(tree);
  const differences = diffTrees(before, after);
  const touched = new Set(differences.map(({ policy }) => policy));
  const unchanged = [...after.policies.keys()].filter((policy) => !touched.has(policy)).length;
  return { base, ...(head !== undefined && { head }), differences, unchanged, errors: after.errors };
}
