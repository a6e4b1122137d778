/** The names of the steps, as a trace has them; those from `crash` on are faults. */
const stepNames = [
  'a tick of the clocks',
  'the request of write 0 reaches the API server',
  'the request of write 1 reaches the API server',
  'looks at the Lease',
  'wins the Lease',
  'renews the Lease',
  'renews the Lease, and the answer is lost',
  'looks at the fence',
  'takes the fence',
  'renews the fence',
  'reads the state in the ledger',
  'makes the version of the target a former one',
  'finds out what became of the write',
  'records what became of the write',
  'reads the scale',
  'leaves the scale as it is',
  'records an intent',
  'looks at its right to write',
  'sends the write',
  'is answered',
  'gives up waiting for the answer',
  'reads the scale again after a 409',
  'records that the write was not made',
  'records that the write was made',
  'leaves the scope',
  'gives the fence up',
  'releases the Lease',
  'starts anew',
  'crashes',
  'another writer changes the scale',
  'another writer changes the target, and not its scale',
  'the request of write 0 is lost',
  'the request of write 1 is lost',
  'the request of write 0 reaches the API server twice',
  'the request of write 1 reaches the API server twice',
  'the Lease is deleted by hand',
  'the Lease is given to nobody who lives by hand',
  'a copy of the database is made',
  'the database is restored from the copy',
] as const;

export type StepName = (typeof stepNames)[number];

const stepNumbers = new Map<StepName, number>(stepNames.map((name, index) => [name, index]));
const firstFault = stepNames.indexOf('crashes');
const replicaNames = ['A', 'B'] as const;

/** `B takes the fence`. */
export function describeStep(step: number): string {
  const name = stepNames[step >> 2] ?? 'an unknown step';
  const replica = replicaNames[(step & 3) - 1];
  return replica === undefined ? name : `${replica} ${name}`;
}

/** The number of a step that a replica takes, 1 or 2, or none, 0. */
export function stepOf(name: StepName, replica: number): number {
  return (stepNumbers.get(name)! << 2) | replica;
}

export function isFault(step: number): boolean {
  return step >> 2 >= firstFault;
}
