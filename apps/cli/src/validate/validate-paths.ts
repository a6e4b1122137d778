import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import type { PolicyParserPort } from '#git-sync';
import { type Diagnostic, pathText } from '#policy';
import {
  type DocumentInForce,
  explainNothing,
  isKustomizationFile,
  isLookedAt,
  isReadPath,
  type NothingTaken,
  type TenantDiagnostic,
} from '#repository';
import { findWorkTree } from '../repository/find-revision.ts';
import { documentsInForce, type JudgedTree, type JudgeOptions, judgeTree } from '../repository/judge-tree.ts';
import { pathInTree, type PathsFrom, selectPaths } from '../repository/select-paths.ts';
import { type Environment, readSourceOptions, type SourceArguments } from '../repository/source-options.ts';
import {
  findRoot,
  readRevision,
  readWorkTree,
  requirePath,
  type SourceTree,
} from '../repository/source-tree.ts';
import { UnusableError } from '../unusable-error.ts';
import { findCaseCollisions } from './find-case-collisions.ts';
import { findComings, joined } from './find-comings.ts';
import type { Progress } from './progress.ts';
import type {
  PolicyComings,
  ReportedDiagnostic,
  ReportedFile,
  ValidationReport,
} from './validation-report.ts';

/** What `plimsoll validate` is asked. */
export interface ValidateOptions extends SourceArguments {
  readonly root?: string;
  readonly base?: string;
  readonly files?: boolean;
  readonly allowEmpty?: boolean;
  /** What the files of the report are relative to; left out: the current folder. */
  readonly pathsFrom?: PathsFrom;
}

/** What a validation runs in. */
export interface ValidateSurroundings {
  readonly progress: Progress;
  readonly environment: Environment;
  readonly parser: PolicyParserPort;
}

/**
 * Reads and judges what the paths lie in, and reports what concerns them.
 *
 * @throws UnusableError
 */
export async function validatePaths(
  paths: readonly string[],
  options: ValidateOptions,
  { progress, environment, parser }: ValidateSurroundings,
): Promise<ValidationReport> {
  const source = readSourceOptions(options, environment);
  const byRoot = Map.groupBy(paths, (path) => findRoot(path, options.root));
  requireInRepository(byRoot);
  const judging = { ...source, ...options, parser: withProgress(parser, progress) };
  const parts: Part[] = [];
  for (const [root, inside] of byRoot) {
    const tree = readWorkTree(root, source.repository.limits.fileBytes);
    if (source.repository.path !== '') requirePath(tree, source.repository.path);
    requireFiles(root, inside, tree);
    const judged = await judge(tree, judging);
    requireText(inside, tree, judged);
    parts.push(reportPart(tree, judged, { ...options, paths: inside, path: source.repository.path }));
  }
  progress.end();
  const lookedAt = parts.reduce((sum, each) => sum + each.lookedAt, 0);
  const [empty] = parts;
  return {
    lookedAt,
    ...(lookedAt === 0 && empty !== undefined ? { nothing: empty.nothing } : {}),
    diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
    files: parts.flatMap(({ files }) => files),
    policies: parts.reduce((sum, { policies }) => sum + policies, 0),
    ...(options.base === undefined ? {} : { comings: joined(parts.map(({ comings }) => comings)) }),
    notTaken: countBy(parts.flatMap(({ untaken }) => untaken)),
    notes: [...notesOf(options), ...parts.flatMap(({ notes }) => notes)],
    lineOf: lineReader(),
    listsFiles: options.files === true,
  };
}

/**
 * Refuses paths of which some lie in a Git work tree and others in none: such a file is no part of any repository.
 *
 * @throws UnusableError
 */
function requireInRepository(byRoot: ReadonlyMap<string, readonly string[]>): void {
  const isInGit = (root: string): boolean => findWorkTree(root) !== undefined;
  const repository = [...byRoot.keys()].find(isInGit);
  const outside = [...byRoot].find(([root]) => !isInGit(root))?.[1][0];
  if (repository !== undefined && outside !== undefined)
    throw new UnusableError(`${outside} is outside the repository at ${repository}`);
}

/**
 * Refuses a file that the tree does not have, or that no tree is around: nothing would be said of it.
 *
 * @throws UnusableError
 */
function requireFiles(root: string, paths: readonly string[], { root: top, files }: SourceTree): void {
  const known = new Set(files.map(({ path }) => path));
  for (const path of paths) {
    if (!statSync(path).isFile()) continue;
    const inTree = pathInTree(top, path);
    if (!known.has(inTree)) {
      throw new UnusableError(
        `${path} is no file of the tree at ${top}: Git ignores it, or it lies behind a symbolic link`,
      );
    }
    if (root !== top && !isReadPath(inTree))
      throw new UnusableError(`${path} is in no repository, and no YAML file (.yaml or .yml)`);
  }
}

/**
 * Refuses a file that was named and is no text: no name of our kinds is found in it, as in YAML of others.
 *
 * @throws UnusableError
 */
function requireText(paths: readonly string[], { root }: SourceTree, { reading }: JudgedTree): void {
  const others = new Set(reading.files.filter(({ status }) => status === 'Other').map(({ path }) => path));
  const binary = paths.find(
    (path) => statSync(path).isFile() && others.has(pathInTree(root, path)) && !isUtf8(readFileSync(path)),
  );
  if (binary !== undefined) throw new UnusableError(`${binary} is no text in UTF-8, as a YAML file is`);
}

/** Counts the files that a parser has answered. */
function withProgress(parser: PolicyParserPort, progress: Progress): PolicyParserPort {
  return {
    batchesAtOnce: parser.batchesAtOnce,
    parse: async (batch) => {
      const answers = await parser.parse(batch);
      progress.add(batch.length);
      return answers;
    },
    parseOverlays: (batch) => parser.parseOverlays(batch),
  };
}

async function judge(
  tree: SourceTree,
  options: Omit<JudgeOptions, 'inForce' | 'before'> & ValidateOptions,
): Promise<ComparedTree> {
  if (options.base === undefined) return { ...(await judgeTree(tree, options)), inForce: [] };
  const before = readRevision(tree.root, options.base, options.repository.limits.fileBytes);
  const inForce = documentsInForce(await judgeTree(before, options));
  return { ...(await judgeTree(tree, { ...options, inForce, before })), inForce };
}

function notesOf(options: ValidateOptions): readonly string[] {
  const notes: string[] = [];
  if (options.base === undefined) notes.push('no --base: the rules about policies in force were not checked');
  if (options.config === undefined)
    notes.push('no --config: Prometheus servers and recommender hosts were taken on trust');
  return notes;
}

/** A judged tree, and what it was compared with. */
interface ComparedTree extends JudgedTree {
  readonly inForce: readonly DocumentInForce[];
}

interface Part extends Pick<ValidationReport, 'diagnostics' | 'files' | 'lookedAt' | 'notes' | 'policies'> {
  readonly comings: PolicyComings;
  /** Why no file was looked at, where none was. */
  readonly nothing: string;
  /** Of each document that is not taken, why. */
  readonly untaken: readonly string[];
}

interface Selection {
  readonly paths: readonly string[];
  /** The folder of the tree that the source reads. */
  readonly path: string;
}

function countBy(texts: readonly string[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(texts, (text) => text);
  return Object.fromEntries([...groups].map(([text, { length }]) => [text, length]));
}

function reportPart(
  tree: SourceTree,
  judged: ComparedTree,
  { paths, path, pathsFrom }: Pick<ValidateOptions, 'pathsFrom'> & Selection,
): Part {
  const { reading, admission } = judged;
  const { has: isSelected, shown } = selectPaths(tree.root, paths, pathsFrom);
  const diagnostics = [...admission.diagnostics, ...findCaseCollisions(tree.files)]
    .flatMap((each) => placedIn(each, isSelected))
    .map((each) => reported(each, shown));
  const selected = reading.files.filter((file) => isSelected(file.path));
  const lookedAt = selected.filter(({ status }) => isLookedAt(status)).length;
  const files = selected.map(({ path, status }): ReportedFile => {
    const isRead = status === 'Read' || status === 'Unreadable';
    return { file: shown(path), isRead, reason: isRead ? '' : reasonText(status, path) };
  });
  const policies = reading.documents.filter(({ role, file }) => role === 'Policy' && isSelected(file)).length;
  const untaken = reading.untaken.filter(({ file }) => isSelected(file)).map(({ reason }) => reason);
  const nothing =
    selected.length === 0 && path === ''
      ? `${paths.join(', ')} ${paths.length === 1 ? 'has' : 'have'} no YAML file that Git does not ignore`
      : nothingText(explainNothing({ files: selected, untaken: reading.untaken }, path));
  const capital = selected.filter(({ status }) => status === 'NotYaml').map((file) => file.path);
  const notes = notesOnNames([...capital, ...namedFiles(tree.root, paths)].map(shown));
  const comings = findComings(judged, judged.inForce, isSelected);
  return { diagnostics, files, lookedAt, notes, policies, comings, untaken, nothing };
}

/** The files among the paths that no source reads, from the top of the tree. */
function namedFiles(root: string, paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => statSync(path).isFile() && !isReadPath(path))
    .map((path) => pathInTree(root, path));
}

/** Of files that look as if they were read, and are not: their names end in `.YML`, or they were named and are no YAML. */
function notesOnNames(files: readonly string[]): readonly string[] {
  return [...new Set(files)].map(
    (file) => `${file} is left out: only names that end in .yaml or .yml are read`,
  );
}

function nothingText({ message, items }: NothingTaken): string {
  return items.length === 0 ? message : `${message} (${items.join(', ')})`;
}

/** A diagnostic at the first of its places that is selected; none where no place is. */
function placedIn<D extends Diagnostic>(diagnostic: D, isSelected: (file: string) => boolean): readonly D[] {
  const place = [diagnostic, ...(diagnostic.related ?? [])].find(({ file }) => isSelected(file));
  if (place === undefined) return [];
  const { file, line, column, path = diagnostic.path } = place;
  return [{ ...diagnostic, file, line, column, path }];
}

const reasons: Readonly<Record<string, string>> = {
  Other: 'names none of our kinds or groups',
  AbovePath: 'outside --path',
  NotIncluded: 'not within --include',
  Excluded: 'within --exclude',
  Ignored: 'ignored by a .plimsollignore',
  DotFolder: 'in a dot folder',
  ChartTemplate: 'a template of a chart',
  SymbolicLink: 'a symbolic link',
  Submodule: 'a submodule',
  NotYaml: 'its name ends neither in .yaml nor in .yml',
};

function reasonText(status: string, path: string): string {
  if (status === 'Other' && isKustomizationFile(path)) return 'no policy, but read as a kustomization';
  return reasons[status] ?? status;
}

function reported(diagnostic: TenantDiagnostic, shown: (file: string) => string): ReportedDiagnostic {
  const { severity, code, message, hint, file, line, column, path, tenant } = diagnostic;
  return {
    severity,
    code,
    message,
    ...(hint !== undefined && { hint }),
    file: shown(file),
    line,
    column,
    path: pathText(path),
    tenant,
  };
}

/** Lines of files, for excerpts; a file is read once, and only where something is wrong in it. */
function lineReader(): ValidationReport['lineOf'] {
  const files = new Map<string, readonly string[]>();
  return (file, line) => {
    let lines = files.get(file);
    if (lines === undefined) {
      lines = readLines(file);
      files.set(file, lines);
    }
    return lines[line - 1];
  };
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
