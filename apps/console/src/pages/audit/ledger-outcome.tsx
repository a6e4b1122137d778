import type { ReactElement } from 'react';
import { audit } from '../../messages/audit.ts';
import type { LedgerCounts, VerifiedCheckpoint } from './ledger-fault.ts';
import type { LedgerOutcome } from './verify-ledger.ts';

const texts = audit.run;

/** What a verification came to: that it is sound and how far it is sealed, or the first thing that is wrong. */
export function LedgerOutcomeView({ outcome, isOwnKey }: OutcomeProps): ReactElement {
  if (outcome.kind === 'Refused') {
    return (
      <p className="problem" role="alert">
        <strong>{texts.refused}</strong> {outcome.message}
      </p>
    );
  }
  if (outcome.kind === 'Sound')
    return <Sound counts={outcome.counts} checkpoint={outcome.checkpoint} isOwnKey={isOwnKey} />;
  const { code, entry, message } = outcome.fault;
  return (
    <div className="problem" role="alert">
      <strong>{texts.broken}</strong>
      <span>{message}</span>
      {entry === null ? null : (
        <span>
          {texts.brokenAt} <strong>{entry}</strong>
        </span>
      )}
      <code>{code}</code>
    </div>
  );
}

interface OutcomeProps {
  readonly outcome: LedgerOutcome;
  /** The key is one that was obtained elsewhere. */
  readonly isOwnKey: boolean;
}

function Sound({ counts, checkpoint, isOwnKey }: SoundProps): ReactElement {
  const { entries, streams, headers, unsealed, expired } = counts;
  const lines = [
    ...(checkpoint === null ? [texts.noCheckpoint] : [sealText(checkpoint, isOwnKey)]),
    ...(unsealed === 0 || checkpoint === null ? [] : [texts.unsealed(numberText(unsealed))]),
    ...(headers === 0 ? [] : [texts.headers(numberText(headers))]),
    ...(expired === 0 ? [] : [texts.expired(numberText(expired))]),
  ];
  return (
    <div className="ledger-run-sound" role="status">
      <strong className="ledger-run-verified">{texts.verified}</strong>
      <strong>{texts.sound(numberText(entries), numberText(streams))}</strong>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

interface SoundProps {
  readonly counts: LedgerCounts;
  readonly checkpoint: VerifiedCheckpoint | null;
  readonly isOwnKey: boolean;
}

function sealText({ number, isSigned }: VerifiedCheckpoint, isOwnKey: boolean): string {
  if (isSigned === null) return texts.unsigned(number);
  return isOwnKey ? texts.proven(number) : texts.signed(number);
}

function numberText(count: number): string {
  return count.toLocaleString('en');
}
