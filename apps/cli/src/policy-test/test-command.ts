import { join, relative, resolve } from 'node:path';
import { readTree } from '../repository/read-tree.ts';
import { resolveTree } from '../repository/resolve-tree.ts';
import { readSourceOptions, type SourceArguments } from '../repository/source-options.ts';
import { UnusableError } from '../repository/unusable-error.ts';
import { findRoot, readWorkTree } from '../repository/work-tree.ts';
import { formatHuman } from './formats/human.ts';
import { formatJson } from './formats/json.ts';
import { runPolicyTest, type TestFailure, type TestResult } from './run-policy-tests.ts';

/** What the command line holds, beside the paths. */
export interface TestArguments extends SourceArguments {
  readonly root?: string;
  readonly format: 'human' | 'json';
}

/** Runs `plimsoll test`: 0 all pass, 1 some fail, 2 could not run. */
export function runTests(paths: readonly string[], options: TestArguments): void {
  // The YAML parser looks into the environment at every token, which is slow through Node's live object.
  process.env = { ...process.env };
  try {
    const results = testPaths(paths.length === 0 ? ['.'] : paths, options);
    const isColoured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
    process.stdout.write(
      options.format === 'json' ? formatJson(results) : formatHuman(results, { isColoured }),
    );
    process.exitCode = results.every(isPassed) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UnusableError)) throw error;
    process.stderr.write(`plimsoll: ${error.message}\n`);
    process.exitCode = 2;
  }
}

/** Whether a test and all its cases passed. */
export function isPassed({ failures, cases }: TestResult): boolean {
  return failures.length === 0 && cases.every((each) => each.failures.length === 0);
}

/** Runs the tests that stand in the paths against the policies of the trees around them. Throws `UnusableError`. */
export function testPaths(paths: readonly string[], options: TestArguments): readonly TestResult[] {
  const source = readSourceOptions(options);
  const byRoot = Map.groupBy(paths, (path) => findRoot(path, options.root));
  return [...byRoot].flatMap(([root, inside]) => {
    const tree = readWorkTree(root, source.repository.limits.fileBytes);
    const { reading } = readTree(tree, source);
    const resolved = resolveTree(reading, source);
    const isSelected = selector(tree.root, inside);
    const shown = (file: string): string => relative(process.cwd(), join(tree.root, file)) || file;
    const unreadable = resolved.errors
      .filter(({ file }) => isSelected(file) && isUnreadableTest(file, reading.untaken))
      .map((error) => unreadableTest(error));
    const results = reading.documents
      .filter(({ role, file }) => role === 'Test' && isSelected(file))
      .map((document) => runPolicyTest(document, resolved));
    return [...unreadable, ...results].map((result) => withFiles(result, shown));
  });
}

/** A test that cannot be read must not pass by being absent. */
function isUnreadableTest(
  file: string,
  untaken: readonly { readonly file: string; readonly kind: string }[],
): boolean {
  return untaken.some((each) => each.file === file && (each.kind === 'PolicyTest' || each.kind === ''));
}

function unreadableTest({
  file,
  line,
  column,
  path,
  code,
  message,
}: TestFailure & { code: string }): TestResult {
  const failure = { file, line, column, path, message: `${code}: ${message}` };
  return { file, line, column, name: '', policy: '', failures: [failure], cases: [] };
}

/** Files as they are found from the folder that the command was started in. */
function withFiles(result: TestResult, shown: (file: string) => string): TestResult {
  const file = shown(result.file);
  const renamed = (failure: TestFailure): TestFailure => ({ ...failure, file });
  return {
    ...result,
    file,
    failures: result.failures.map(renamed),
    cases: result.cases.map((each) => ({ ...each, failures: each.failures.map(renamed) })),
  };
}

/** Whether a file of the tree is one of the paths, or below one. */
function selector(root: string, paths: readonly string[]): (file: string) => boolean {
  const prefixes = paths.map((path) => relative(root, resolve(path)).split(/[\\/]/).join('/'));
  return (file) =>
    prefixes.some((prefix) => prefix === '' || file === prefix || file.startsWith(`${prefix}/`));
}
