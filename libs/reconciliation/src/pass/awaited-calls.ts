import type { ScaleTargetRef } from '#policy';

/** How what a pass waits for is named where it does not come in time. */
export const ledgerRead = 'a read of the ledger';
export const ledgerAppend = 'the ledger to take an entry';

export function readOfScale(target: ScaleTargetRef): string {
  return `GET of the scale of ${nameOfTarget(target)}`;
}

export function writeOfScale(target: ScaleTargetRef): string {
  return `write of the scale of ${nameOfTarget(target)}`;
}

function nameOfTarget({ kind, name }: ScaleTargetRef): string {
  return `${kind} ${name}`;
}
