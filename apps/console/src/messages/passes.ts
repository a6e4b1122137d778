import type { PolicyEvaluator } from '../schema.generated.ts';

/** The texts of when, and by which replica, policies are evaluated. */
export const passes = {
  /** Before how long ago. */
  recorded: 'recorded',
  by: (replica: string) => `evaluated by ${replica}`,
  another: 'evaluated by another replica',
  nobodyYet: 'not evaluated here since the start',
  /** In a table, where there is no room for more; what it means is in the title. */
  short: { AnotherReplica: 'elsewhere', NobodyYet: 'not yet' } satisfies Record<
    Exclude<PolicyEvaluator, 'ThisReplica'>,
    string
  >,
  title: {
    AnotherReplica: (time: string) =>
      `Evaluated by another replica; its state was recorded last ${time}, and passes that change nothing are recorded every five minutes at most`,
    NobodyYet: (time: string) =>
      `No pass over it has ended here since the start; its state was recorded last ${time}`,
  } satisfies Record<Exclude<PolicyEvaluator, 'ThisReplica'>, (time: string) => string>,
} as const;
