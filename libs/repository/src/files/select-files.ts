import { pathMatcher } from './glob.ts';
import { type IgnoreFile, IgnoreRules, isIgnoreFile } from './ignore-rules.ts';
import type { RepositoryOptions } from './repository-options.ts';
import { baseOf, folderOf, foldersUp, isBelow, normalPath, type TreeFile } from './tree-file.ts';

/** Why a file is not read. */
export type LeftOutReason =
  | 'AbovePath'
  | 'NotIncluded'
  | 'Excluded'
  | 'Ignored'
  | 'DotFolder'
  | 'ChartTemplate'
  | 'SymbolicLink'
  | 'Submodule'
  | 'NotYaml';

/** Says of each file why it is not read; undefined: it is. */
export type FileSelection = (file: TreeFile) => LeftOutReason | undefined;

/** Files whose content decides what is read: they are needed before anything else. */
export function listIgnoreFiles(tree: readonly TreeFile[]): readonly TreeFile[] {
  return tree.filter((file) => file.type === 'File' && isIgnoreFile(file.path));
}

/** Whether a path ends as YAML does. */
export function isYamlPath(path: string): boolean {
  return path.endsWith('.yaml') || path.endsWith('.yml');
}

/**
 * What a source reads of a tree: every YAML file below `path`, within `include`, outside `exclude` and not ignored;
 * never dot folders, templates beside a chart, symbolic links or submodules, whatever a negation says.
 */
export function selectFiles(
  tree: readonly TreeFile[],
  options: RepositoryOptions,
  ignoreFiles: readonly IgnoreFile[],
): FileSelection {
  const root = normalPath(options.path);
  const isIncluded = options.include.length === 0 ? () => true : pathMatcher(options.include);
  const isExcluded = pathMatcher(options.exclude);
  const rules = new IgnoreRules(ignoreFiles);
  const charts = new Set(
    tree.filter(({ path }) => baseOf(path) === 'Chart.yaml').map(({ path }) => folderOf(path)),
  );
  const reasons: readonly (readonly [LeftOutReason, (path: string) => boolean])[] = [
    ['NotYaml', (path) => !isYamlPath(path)],
    ['AbovePath', (path) => !isBelow(path, root)],
    ['Excluded', isExcluded],
    ['DotFolder', isInDotFolder],
    ['ChartTemplate', (path) => isChartTemplate(path, charts)],
    ['Ignored', (path) => rules.isIgnored(path)],
    ['NotIncluded', (path) => !isIncluded(path)],
  ];
  return (file) => {
    if (file.type !== 'File') return file.type;
    return reasons.find(([, applies]) => applies(file.path))?.[0];
  };
}

function isInDotFolder(path: string): boolean {
  return path.startsWith('.') ? path.includes('/') : folderOf(path).includes('/.');
}

/** Below `templates/` of a folder with a `Chart.yaml`: text with placeholders, not manifests. */
function isChartTemplate(path: string, charts: ReadonlySet<string>): boolean {
  if (charts.size === 0) return false;
  return foldersUp(folderOf(path)).some(
    (folder) => baseOf(folder) === 'templates' && folder !== '' && charts.has(folderOf(folder)),
  );
}
