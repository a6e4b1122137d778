// Records numbered changes in the ledger and the journal of a folder, through outages, and prints the number of each that
// is acknowledged, from where the ledger's state is on; its test kills it. Arguments: the folder, the seed.
import { join } from 'node:path';
import { AdapterError } from '#kernel';
import type { LedgerPort } from '#ledger';
import { withAppend } from '#ledger/testing';
import { ChangeRecorder } from '../../../support/change-recorder.ts';
import { Random } from '../../../support/random.ts';

const [, , folder = '', seed = '1'] = process.argv;
const random = new Random(Number(seed));
let appendsLeft = 0;
/** The first append turns it over: three starts of ten begin in an outage. */
let isOut = random.chance(0.7);

/** Outages begin and end after a few appends; an attempt to replay is one. */
function throughOutages(port: LedgerPort): LedgerPort {
  return withAppend(port, (batch) => {
    if (appendsLeft <= 0) {
      isOut = !isOut;
      appendsLeft = 1 + random.below(6);
    }
    appendsLeft -= 1;
    if (!isOut) return port.append(batch);
    return Promise.reject(
      new AdapterError({ code: 'DatabaseFull', message: 'the disk is full', retryable: true }),
    );
  });
}

/** Taking up the journal of the process before may meet an outage, too: then this process ends, as a start does. */
const recorder = await ChangeRecorder.open({
  url: `sqlite:${join(folder, 'ledger.db')}`,
  journal: join(folder, 'outage-journal'),
  wrap: throughOutages,
}).catch(() => process.exit(3));
process.stdout.write('open\n');
for (let number = (await recorder.lastNumber()) + 1; ; number += 1) {
  const recorded = await recorder.record(number);
  if (recorded === 'Refused') process.exit(4);
  process.stdout.write(`${number}\n`);
  if (random.chance(0.5)) void recorder.replay();
}
