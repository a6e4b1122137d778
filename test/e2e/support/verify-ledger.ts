import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { exportLedger } from '../../../apps/cli/src/audit/export-ledger.ts';
import { verifyExport } from '../../../apps/cli/src/audit/verify-export.ts';

/** Exports a ledger into a new folder, and verifies it. @returns the status of `plimsoll audit verify` */
export async function verifyLedger(database: string, folder: string): Promise<number> {
  const terminal = {
    input: new PassThrough(),
    output: new PassThrough().resume(),
    messages: new PassThrough().resume(),
    environment: {},
    isColoured: false,
    isFollowed: false,
  };
  const output = join(folder, 'exported');
  await exportLedger({ database, output }, terminal);
  return verifyExport(output, { format: 'text' }, terminal);
}
