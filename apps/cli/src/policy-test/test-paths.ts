import type { PolicyParserPort } from '#git-sync';
import { printableLines, printableTexts } from '../printable.ts';
import { readTree } from '../repository/read-tree.ts';
import { resolveTree } from '../repository/resolve-tree.ts';
import { selectPaths } from '../repository/select-paths.ts';
import { type Environment, readSourceOptions, type SourceArguments } from '../repository/source-options.ts';
import { findRoot, readWorkTree, requirePath } from '../repository/source-tree.ts';
import { withParser } from '../repository/with-parser.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { formatHuman } from './formats/human.ts';
import { formatJson } from './formats/json.ts';
import { runPolicyTest, type TestFailure, type TestResult } from './run-policy-test.ts';

/** What the command line holds, beside the paths. */
export interface TestArguments extends SourceArguments {
  readonly root?: string;
  readonly format: 'human' | 'json';
}

/** What tests run in. */
export interface TestSurroundings {
  readonly environment: Environment;
  readonly parser: PolicyParserPort;
}

/** Runs the tests that stand in the paths and prints what came of them; 1 where one failed. */
export async function test(
  paths: readonly string[],
  options: TestArguments,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { environment } = terminal;
  const selected = paths.length === 0 ? ['.'] : paths;
  const results = await withParser((parser) => testPaths(selected, options, { environment, parser }));
  const text =
    options.format === 'json'
      ? formatJson(results)
      : printableLines(formatHuman(printableTexts(results), terminal));
  terminal.output.write(text);
  return results.every(isPassed) ? 0 : 1;
}

/** Whether a test and all its cases passed. */
export function isPassed({ failures, cases }: TestResult): boolean {
  return failures.length === 0 && cases.every((each) => each.failures.length === 0);
}

/**
 * Runs the tests that stand in the paths against the policies of the trees around them.
 *
 * @throws UnusableError
 */
export async function testPaths(
  paths: readonly string[],
  options: TestArguments,
  { environment, parser }: TestSurroundings,
): Promise<readonly TestResult[]> {
  const source = readSourceOptions(options, environment);
  const byRoot = Map.groupBy(paths, (path) => findRoot(path, options.root));
  const results: TestResult[] = [];
  for (const [root, inside] of byRoot) {
    const tree = readWorkTree(root, source.repository.limits.fileBytes);
    if (source.repository.path !== '') requirePath(tree, source.repository.path);
    const { reading } = await readTree(tree, { ...source, parser });
    const resolved = resolveTree(reading, source);
    const { has: isSelected, shown } = selectPaths(tree.root, inside);
    const unreadable = resolved.errors
      .filter(({ file }) => isSelected(file) && isUnreadableTest(file, reading.untaken))
      .map((error) => unreadableTest(error));
    const ran = reading.documents
      .filter(({ role, file }) => role === 'Test' && isSelected(file))
      .map((document) => runPolicyTest(document, resolved));
    results.push(...[...unreadable, ...ran].map((result) => withFiles(result, shown)));
  }
  return results;
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
