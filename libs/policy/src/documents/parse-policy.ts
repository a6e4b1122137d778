import { err, ok, type Result } from '#kernel';
import type { Problem } from '../diagnostics/diagnostic.ts';
import { readAutoscalingPolicy } from '../kinds/autoscaling-policy.ts';
import { readHorizontalPodAutoscaler } from '../kinds/horizontal-pod-autoscaler.ts';
import { identifyDocument, type PolicyForm } from '../kinds/identify-document.ts';
import { readOlderAutoscaler } from '../kinds/older-autoscaler.ts';
import type { ReadContext } from '../kinds/read-context.ts';
import { readWatermarkPodAutoscaler } from '../kinds/watermark-pod-autoscaler.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { type Fields, readDocument } from '../reading/fields.ts';
import { ProblemList } from '../reading/problem-list.ts';

/** A document as read: the policy where nothing is an error, and everything that was found. */
export interface PolicyReading {
  readonly policy?: EffectivePolicy;
  /** Errors, warnings and notes, in the order in which they were found. */
  readonly problems: readonly Problem[];
}

/**
 * Reads a JSON value as a policy of any of the three kinds (a HorizontalPodAutoscaler of any version), with every
 * default filled in, or says everything that is wrong with it. Never throws, whatever the value.
 */
export function readPolicy(value: unknown, context: ReadContext = {}): PolicyReading {
  const list = new ProblemList();
  const document = readDocument(value, list);
  const policy = document === undefined ? undefined : readByKind(document, context);
  const problems = list.all();
  const hasError = problems.some((problem) => problem.severity === 'error');
  return policy === undefined || hasError ? { problems } : { policy, problems };
}

/** As {@link readPolicy}, without warnings. Errors: all of them at once, at least one. */
export function parsePolicyJson(
  value: unknown,
  context: ReadContext = {},
): Result<EffectivePolicy, readonly Problem[]> {
  const { policy, problems } = readPolicy(value, context);
  return policy === undefined ? err(problems.filter((problem) => problem.severity === 'error')) : ok(policy);
}

const readers: Readonly<
  Record<PolicyForm, (document: Fields, context: ReadContext) => EffectivePolicy | undefined>
> = {
  AutoscalingPolicy: readAutoscalingPolicy,
  HorizontalPodAutoscaler: readHorizontalPodAutoscaler,
  OlderHorizontalPodAutoscaler: readOlderAutoscaler,
  WatermarkPodAutoscaler: readWatermarkPodAutoscaler,
};

function readByKind(document: Fields, context: ReadContext): EffectivePolicy | undefined {
  const identity = identifyDocument(document.raw('apiVersion'), document.raw('kind'));
  if (identity.kind === 'policy') return readers[identity.form](document, context);
  const finding =
    identity.kind === 'fault'
      ? identity
      : {
          field: 'kind',
          finding: { code: 'UnknownKind', message: 'the document is no policy', hint: policyKinds } as const,
        };
  document.report(finding.field, finding.finding);
  return undefined;
}

const policyKinds = 'AutoscalingPolicy, HorizontalPodAutoscaler or WatermarkPodAutoscaler';
