import { type SurveyedFile, type SurveyInput, surveyTree } from '../files/survey-tree.ts';
import { type ReaderInput, RepositoryReader } from './repository-reader.ts';
import type { RepositoryReading } from './repository-reading.ts';
import { runSteps } from './run-steps.ts';

/** A tree, and what its documents are taken with. */
export interface RepositoryInput extends SurveyInput, ReaderInput {}

/**
 * Reads every document of ours in a tree, with its tenant and its namespace, or says why it is not taken. Nothing of
 * ours is dropped in silence: what cannot be read is a diagnostic of its tenant.
 */
export function readRepository(input: RepositoryInput): RepositoryReading {
  return runSteps(readRepositoryInSteps(runSteps(surveyTree(input)), input));
}

/**
 * The second half of the same reading, one file a step, for a caller that parses between the two: ten thousand files
 * take seconds. Nothing of the input must change until the last step.
 */
export function* readRepositoryInSteps(
  surveyed: readonly SurveyedFile[],
  input: ReaderInput,
): Generator<void, RepositoryReading, void> {
  const reader = new RepositoryReader(input);
  for (const file of surveyed) {
    reader.read(file);
    yield;
  }
  return reader.result();
}
