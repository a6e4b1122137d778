import { pathText } from '#policy';
import type { CaseResult, TestFailure, TestResult } from '../run-policy-test.ts';

/** For programs: one JSON object. A failing case carries its whole decision. */
export function formatJson(results: readonly TestResult[]): string {
  const cases = results.flatMap((result) => result.cases);
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const notRun = results.filter(({ failures }) => failures.length > 0).length;
  const summary = { tests: results.length, passed: cases.length - failed, failed, notRun };
  return `${JSON.stringify({ version: 1, summary, tests: results.map(testJson) }, null, 2)}\n`;
}

function testJson({ file, line, column, name, policy, failures, cases }: TestResult): object {
  return {
    name,
    policy,
    file,
    line,
    column,
    failures: failures.map(failureJson),
    cases: cases.map(caseJson),
  };
}

function caseJson({ name, failures, decision }: CaseResult): object {
  const isPassed = failures.length === 0;
  return {
    name,
    passed: isPassed,
    desiredReplicas: decision?.desiredReplicas ?? null,
    failures: failures.map(failureJson),
    ...(!isPassed && decision !== undefined && { decision }),
  };
}

function failureJson({ path, ...failure }: TestFailure): object {
  return { path: pathText(path), ...failure };
}
