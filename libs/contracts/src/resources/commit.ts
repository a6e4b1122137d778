import { z } from 'zod';
import { component, timeText, type WireOf } from './component.ts';

/** A Git commit. */
export const commitSchema = component(
  'Commit',
  'A Git commit.',
  z.object({
    hash: z.string().describe('The full object name, 40 or 64 hex digits.'),
    author: z.string().describe('Who wrote it, as Git has the name.'),
    subject: z.string().describe('The first line of the message.'),
    time: timeText.describe('When it was committed, RFC 3339.'),
  }),
);

/** Who allowed a commit. */
export const pullRequestSchema = component(
  'PullRequest',
  'The pull request that brought a commit: who wrote it, and who allowed it.',
  z.object({
    number: z.int().nullable().describe('Null: it came without one.'),
    author: z.string().nullable().describe('A login at the forge; null where it is not known.'),
    approvers: z.array(z.string()).describe('Reviewers whose last word before the merge was yes.'),
    verified: z
      .boolean()
      .describe(
        'Whether the forge says so; otherwise it is taken from the commit message, which its author wrote.',
      ),
  }),
);
export type PullRequest = WireOf<typeof pullRequestSchema>;

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
