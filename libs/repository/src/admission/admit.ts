import { runSteps } from '#kernel';
import { rootTenant } from '../files/repository-options.ts';
import type { Admission, AdmissionInput } from './admission.ts';
import { judgeCommit } from './judge-commit.ts';
import { judgeLossesInSteps } from './judge-losses.ts';
import { resolveInSteps } from './resolve-documents.ts';

/**
 * Does the larger part of {@link admit} a policy a step, for the input's cache: a caller that serves others between the
 * steps does not stop for as long as ten thousand policies take.
 */
export function* prepareAdmission({ reading, context }: AdmissionInput): Generator<void, void, void> {
  const documents = Map.groupBy(
    reading.documents.filter(({ role }) => role !== 'Test'),
    ({ tenant }) => tenant,
  );
  const root = documents.get(rootTenant) ?? [];
  for (const [tenant, own] of documents)
    yield* resolveInSteps(own, tenant === rootTenant ? [] : root, context);
}

/** Judges a commit against what is in force. Pure: the same input, the same admission. */
export function admit(input: AdmissionInput): Admission {
  return runSteps(admitInSteps(input));
}

/** The same, in steps of which none takes long once the policies are resolved ({@link prepareAdmission}). */
export function* admitInSteps(input: AdmissionInput): Generator<void, Admission, void> {
  const losses = yield* judgeLossesInSteps({ ...input, inForce: input.inForce.documents });
  return yield* judgeCommit(input, losses);
}
