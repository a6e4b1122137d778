import { z } from 'zod';
import { component, timeText } from '../component.ts';

/** A Git commit. */
export const commitSchema = component(
  'Commit',
  'A Git commit.',
  z.object({
    hash: z.string().describe('The full object name.'),
    author: z.string(),
    subject: z.string().describe('The first line of the message.'),
    time: timeText.describe('Commit time, RFC 3339.'),
  }),
);

/** Where a policy in force was read. */
export const policyOriginSchema = component(
  'PolicyOrigin',
  'Where a policy in force comes from.',
  z.object({
    source: z.string().describe("The source's name in the configuration."),
    commit: commitSchema.describe('The commit whose activation brought the policy into force as it is.'),
    file: z.string().describe('The path in the repository.'),
    line: z.int().min(1).describe('The line of the document.'),
  }),
);
