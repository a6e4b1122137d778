import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fillLedger } from '../../../../test/support/audited-ledger.ts';
import { type ExportArguments, exportLedger } from '../audit/export-ledger.ts';
import { verifyExport } from '../audit/verify-export.ts';
import type { Witnesses } from '../audit/witness.ts';
import { aTerminal, makeTree } from './run-cli.fixture.ts';

/** What verification said. */
export interface Verified {
  readonly status: number;
  readonly report: {
    readonly status: string;
    readonly entries?: number;
    readonly headers?: number;
    readonly streams?: number;
    readonly gaps?: readonly object[];
    readonly fault: {
      readonly code: string;
      readonly stream: string;
      readonly seq: string;
      readonly message: string;
    } | null;
  };
}

/** A folder with a ledger of a little of everything, `ledger.db`, and exports of it. */
export interface AuditTree {
  readonly folder: string;
  readonly database: string;
  /** The path of a name in the folder. */
  readonly at: (name: string) => string;
  readonly anExport: (options?: Partial<ExportArguments>, bytesPerFile?: number) => Promise<string>;
  readonly aCopy: (of: string) => Promise<string>;
  readonly remove: () => void;
}

export async function makeAuditTree(): Promise<AuditTree> {
  const { folder, remove } = makeTree({});
  const at = (name: string): string => join(folder, name);
  const database = `sqlite:${at('ledger.db')}`;
  await fillLedger(database);
  let exports = 0;
  return {
    folder,
    database,
    at,
    remove,
    anExport: async (options = {}, bytesPerFile) => {
      const output = at(`export-${(exports += 1)}`);
      await exportLedger({ database, output, ...options }, aTerminal(), bytesPerFile);
      return options.output ?? output;
    },
    aCopy: async (of) => {
      const copy = at(`copy-${(exports += 1)}`);
      await cp(of, copy, { recursive: true });
      return copy;
    },
  };
}

/** Verifies an export, and reads the report. */
export async function verify(folder: string, witnesses: Witnesses = {}): Promise<Verified> {
  const output = new PassThrough();
  const status = await verifyExport(folder, { format: 'json', ...witnesses }, { ...aTerminal(), output });
  return { status, report: JSON.parse(String(output.read())) as Verified['report'] };
}
