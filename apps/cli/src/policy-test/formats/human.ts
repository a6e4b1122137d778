import { pathText } from '#policy';
import { explainDecision, inColour, type Paint, plain } from '../../decision/explain-decision.ts';
import type { CaseResult, TestFailure, TestResult } from '../run-policy-test.ts';

/** Colours, where the output is a terminal. */
export interface Style {
  readonly isColoured: boolean;
}

/** For a person: each case, and for each that fails what was wanted, what came out, and the waterfall. */
export function formatHuman(results: readonly TestResult[], style: Style): string {
  const paint = style.isColoured ? inColour : plain;
  if (results.length === 0) return 'no PolicyTest documents there: nothing was tested\n';
  const lines = results.flatMap((result) => testLines(result, paint));
  // A failing case ends in a blank line of its own.
  const last = lines.at(-1) === '' ? [] : [''];
  return `${[...lines, ...last, summary(results, paint)].join('\n')}\n`;
}

function testLines(
  { file, line, name, policy, failures, cases }: TestResult,
  paint: Paint,
): readonly string[] {
  const subject = policy === '' ? '' : `  ${policy}`;
  return [
    `${paint('bold', name === '' ? 'PolicyTest' : name)}${subject}  ${paint('dim', `${file}:${line}`)}`,
    ...failures.flatMap((failure) => [`  ${paint('red', '✗')} not run`, ...failureLines(failure, paint)]),
    ...cases.flatMap((each) => caseLines(each, paint)),
  ];
}

function caseLines({ name, failures, decision }: CaseResult, paint: Paint): readonly string[] {
  if (failures.length === 0) return [`  ${paint('green', '✓')} ${name}`];
  const waterfall =
    decision === undefined
      ? []
      : explainDecision({ decision, departures: [] }, paint)
          .split('\n')
          .map((text) => (text === '' ? '' : `      ${text}`));
  return [
    `  ${paint('red', '✗')} ${name}`,
    ...failures.flatMap((failure) => failureLines(failure, paint)),
    ...waterfall,
    '',
  ];
}

function failureLines({ file, line, column, path, message }: TestFailure, paint: Paint): readonly string[] {
  const expected = path.indexOf('expect');
  const field = pathText(expected < 0 ? path : path.slice(expected + 1));
  return [
    `    ${paint('bold', `${file}:${line}:${column}`)}${field === '' ? '' : ` ${field}`}`,
    `      ${message}`,
  ];
}

function summary(results: readonly TestResult[], paint: Paint): string {
  const cases = results.flatMap((result) => result.cases);
  const notRun = results.filter(({ failures }) => failures.length > 0).length;
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const verdict = failed + notRun === 0 ? paint('green', 'passed') : paint('red', 'failed');
  const parts = [`${cases.length - failed} passed`, `${failed} failed`];
  if (notRun > 0) parts.push(`${notRun} ${notRun === 1 ? 'test' : 'tests'} not run`);
  return `${verdict}: ${parts.join(', ')} (${results.length} PolicyTest${results.length === 1 ? '' : 's'})`;
}
