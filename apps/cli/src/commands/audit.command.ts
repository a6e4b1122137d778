import { type Command, Option } from 'commander';
import type { ExportArguments } from '../audit/export-ledger.ts';
import type { NewKeyArguments } from '../audit/new-key.ts';
import type { KeyArguments } from '../audit/print-key.ts';
import type { VerifyArguments } from '../audit/verify-export.ts';
import { runCommand } from '../run-command.ts';

const exportHelp = `
Writes the ledger into a folder: manifest.json, heads.ndjson and entries-NNNNNN.ndjson, one
canonical JSON object a line (docs/spec/ledger.md). The database is only read, also while a
controller writes it: every entry up to the heads of one moment is exported. An entry that
--from, --until and --kind leave out of a stream is a bare header, so the chain still
verifies; of the streams that --namespace and --policy leave out only the neighbours of those
that are exported are mentioned, which prove that none is missing.

Examples:
  plimsoll audit export --database sqlite:/var/lib/plimsoll/ledger.db --output week --from 7d
  plimsoll audit export --database postgres://auditor@db/plimsoll?sslmode=verify-full \\
    --password-file secret --namespace shop --kind ScalingEvent PolicyChange --output shop
  plimsoll audit export --server https://plimsoll.example.com --output all

Exit status:
  0  exported
  1  not exported: the ledger does not verify, since its last checkpoint does not fit the
     heads that it covers
  2  could not run: the database, the server or the folder is of no use, or unusable arguments`;

const verifyHelp = `
Verifies an export without server or database: that no entry was edited, removed, inserted or
reordered, that each stream ends in its head, and that the last checkpoint covers it. The first
entry that is wrong is named with its stream and number.

Examples:
  plimsoll audit verify week
  plimsoll audit verify week --key plimsoll.pub
  plimsoll audit verify week --checkpoint checkpoints.log --format json

Exit status:
  0  proven: as 3, and the checkpoint is signed with the key or is the one obtained elsewhere
  1  broken: the first fault is named
  2  could not run: no export, or one of a form that is not known
  3  consistent, origin not proven: whoever made the export may have made all of it`;

const keyHelp = `
Prints the public key that checkpoints are verified with, as PEM. Keep it where whoever may
edit the database cannot change it. Neither a database nor an export has the key: it would
prove nothing, coming from what it is to prove.

Examples:
  plimsoll audit key --data-folder /var/lib/plimsoll > plimsoll.pub
  plimsoll audit key --key-file /etc/plimsoll/key.pem > plimsoll.pub

Exit status:
  0  printed
  2  there is no key, or none of Ed25519`;

const newKeyHelp = `
Makes a new private key for checkpoints. Where the present one is there, it is kept as
KEY.previous, and signs that the new one follows it (rotation). Where it is lost, --reason is
recorded with your name, in KEY.lost and then in the ledger (KeyLost): who verifies with the
old public key is told so. A controller that runs finds the key within a minute. The public
key is printed; keep it elsewhere.

Examples:
  plimsoll audit new-key --data-folder /var/lib/plimsoll
  plimsoll audit new-key --key-file /etc/plimsoll/key.pem --reason "the node's disk is gone"

Exit status:
  0  made
  2  could not run: the key is lost and there is no --reason, or the file is of no use`;

/** Adds `plimsoll audit`. */
export function registerAuditCommand(program: Command): void {
  const audit = program.command('audit').description('Export the ledger, and verify an export offline.');
  audit
    .command('export')
    .description('Write the ledger into a folder that anyone can verify.')
    .option('--database <url>', 'sqlite:PATH or postgres://USER@HOST/DATABASE')
    .option('--password-file <file>', 'the file that holds the password of a postgres:// URL')
    .option('--server <url>', "the controller's API, in the place of its database")
    .option('--token-file <file>', 'a file that holds a token; else PLIMSOLL_TOKEN, or a login')
    .requiredOption('--output <folder>', 'write there')
    .option('--from <time>', 'payloads of entries from then on: RFC 3339, or how long ago (90m, 12h, 7d)')
    .option('--until <time>', 'payloads of entries before it, the same')
    .option('--namespace <name...>', 'the policies of these namespaces only')
    .option('--policy <namespace/name...>', 'these policies only, beside those of --namespace')
    .option('--kind <kind...>', 'payloads of entries of these kinds only')
    .option('--resume', 'go on with an export that was interrupted; its times in RFC 3339')
    .addHelpText('after', exportHelp)
    .action((options: ExportArguments) =>
      runCommand(async (terminal) => {
        const { exportLedger } = await import('../audit/export-ledger.ts');
        return exportLedger(options, terminal);
      }),
    );
  audit
    .command('verify')
    .description('Verify an export, offline.')
    .argument('<folder>', 'the folder of the export')
    .option('--key <file>', 'the public key of the checkpoints, as PEM, obtained elsewhere')
    .option(
      '--checkpoint <file>',
      'a checkpoint obtained elsewhere, or a file of several, each of which is compared',
    )
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', verifyHelp)
    .action((folder: string, options: VerifyArguments) =>
      runCommand(async (terminal) => {
        const { verifyExport } = await import('../audit/verify-export.ts');
        return verifyExport(folder, options, terminal);
      }),
    );
  registerKeyCommands(audit);
}

function registerKeyCommands(audit: Command): void {
  audit
    .command('key')
    .description('Print the public key of the checkpoints.')
    .option('--data-folder <folder>', "the controller's dataFolder", '.plimsoll')
    .option('--key-file <file>', "the controller's checkpoints.keyFile, of which the public key is printed")
    .addHelpText('after', keyHelp)
    .action((options: KeyArguments) =>
      runCommand(async ({ output }) => {
        const { printKey } = await import('../audit/print-key.ts');
        return printKey(options, output);
      }),
    );
  audit
    .command('new-key')
    .description('Make a new key for checkpoints, in the place of one that is rotated or lost.')
    .option('--data-folder <folder>', "the controller's dataFolder", '.plimsoll')
    .option('--key-file <file>', "the controller's checkpoints.keyFile")
    .option('--reason <text>', 'how the key was lost')
    .addHelpText('after', newKeyHelp)
    .action((options: NewKeyArguments) =>
      runCommand(async (terminal) => {
        const { makeNewKey } = await import('../audit/new-key.ts');
        return makeNewKey(options, terminal);
      }),
    );
}
