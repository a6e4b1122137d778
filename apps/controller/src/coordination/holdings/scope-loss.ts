/**
 * Why a process loses what it holds. `Overdue`: a Lease was not renewed in time. `Unanswered`: the work of a scope cannot
 * end, so both of its rights have to expire. `Ended`: the scope is free, and its work cannot begin again in this process.
 * `Elsewhere`: the database answers other replicas, and not this one.
 */
export type ScopeLoss = 'TakenOver' | 'Overdue' | 'Unanswered' | 'Ended' | 'Elsewhere';

const messages: Readonly<Record<ScopeLoss, string>> = {
  TakenOver:
    'another replica has taken over, or the database was put back: this one writes to the cluster no more, starts anew, and competes again',
  Unanswered:
    'a write has no answer and its shard has to expire: this replica writes to the cluster no more, starts anew, and competes again',
  Ended: 'no replica leads, and this one can only lead again when it starts anew, which it does',
  Overdue:
    'the API server has not let the Leases be renewed until their deadline: this replica writes to the cluster no more, starts anew, answers reads, and competes again when the API server answers',
  Elsewhere: 'the database answers other replicas and not this one, which stops carrying policies out',
};

const late =
  'the Leases were not renewed until their deadline, though no request for them failed: this process stood still, or it or the API server is slow; this replica writes to the cluster no more, starts anew, answers reads, and competes again';

/**
 * What has happened, what ends, and what comes next: the process goes on, however much of it starts anew.
 *
 * @param leasesFailingSince null: no request was refused or left without an answer, so that nothing says that an `Overdue`
 *   is the API server's
 */
export function lossMessage(
  loss: ScopeLoss,
  { leasesFailingSince }: { readonly leasesFailingSince: string | null },
): string {
  return loss === 'Overdue' && leasesFailingSince === null ? late : messages[loss];
}
