import type { Logger } from 'pino';
import type { SyncOutcome } from '#git-sync';
import type { TenantDiagnostic } from '#repository';

/** The log names this many diagnostics of one commit; the API has them all. */
const maximumLoggedDiagnostics = 20;

/** Says what a look at a source came to. A user's mistake is an info with its place: errors are our bugs. */
export function logOutcome(logger: Logger, outcome: SyncOutcome): void {
  const { source, result, commit, message, diagnostics, unstored } = outcome;
  if (result === 'unchanged') return;
  const fields = { source, commit: commit?.hash.slice(0, 7), result };
  if (result === 'failed') {
    logger.warn(
      { ...fields, reason: unstored ?? message },
      'the source could not be synced; its last good policies stay',
    );
    return;
  }
  const subject = commit === null ? '' : ` ${commit.subject}`;
  logger.info(
    { ...fields, sentence: `${source}: ${result}, ${message} (${fields.commit ?? ''}${subject})` },
    'synced',
  );
  for (const diagnostic of diagnostics.slice(0, maximumLoggedDiagnostics)) {
    const { severity, code } = diagnostic;
    logger.info({ source, severity, code, sentence: diagnosticSentence(diagnostic) }, 'diagnostic');
  }
}

function diagnosticSentence({ file, line, column, severity, message, hint }: TenantDiagnostic): string {
  const advice = hint === undefined ? '' : ` (hint: ${hint})`;
  return `${file}:${line}:${column}: ${severity}: ${message}${advice}`;
}
