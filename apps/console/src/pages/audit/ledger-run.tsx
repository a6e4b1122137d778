import { type ReactElement, useEffect, useRef, useState } from 'react';
import { parsePublicKey, publicKeyFingerprint } from '#ledger/verification';
import { serverNow } from '../../api/server-time.ts';
import { QueryButton } from '../../components/frames/query-panel.tsx';
import { audit } from '../../messages/audit.ts';
import type { LedgerCounts } from './ledger-fault.ts';
import { LedgerOutcomeView } from './ledger-outcome.tsx';
import { exportRequestOf, type LedgerOutcome, verifyLedger } from './verify-ledger.ts';

const texts = audit.run;
const dayMilliseconds = 86_400_000;

type Scope = keyof typeof texts.scopes;

type Run =
  | { readonly kind: 'Idle' | 'Cancelled' }
  | { readonly kind: 'Running'; readonly counts: LedgerCounts | undefined }
  | { readonly kind: 'Ended'; readonly outcome: LedgerOutcome; readonly isOwnKey: boolean };

/** The whole ledger, verified in this browser: the server is asked for it and not for a judgement. */
export default function LedgerRun({ publicKey }: { readonly publicKey: string | null }): ReactElement {
  const [run, setRun] = useState<Run>({ kind: 'Idle' });
  const [contentsFrom, setContentsFrom] = useState<string | null>(null);
  const [ownKey, setOwnKey] = useState('');
  const aborter = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);
  const isOwnKey = ownKey.trim() !== '';
  const isBadKey = isOwnKey && parsePublicKey(ownKey) === null;
  const start = async (): Promise<void> => {
    const current = new AbortController();
    aborter.current = current;
    setRun({ kind: 'Running', counts: undefined });
    const outcome = await verifyLedger(
      { contentsFrom, key: isOwnKey ? ownKey : publicKey },
      current.signal,
      (counts) => setRun({ kind: 'Running', counts }),
    ).catch((): LedgerOutcome => ({ kind: 'Refused', message: texts.unreachable }));
    setRun(current.signal.aborted ? { kind: 'Cancelled' } : { kind: 'Ended', outcome, isOwnKey });
  };
  return (
    <div className="ledger-run">
      <div className="ledger-run-form ledger-run-start">
        {run.kind === 'Running' ? (
          <button type="button" className="button" onClick={() => aborter.current?.abort()}>
            {texts.cancel}
          </button>
        ) : (
          <button
            type="button"
            className="button button-primary"
            disabled={isBadKey}
            onClick={() => void start()}
          >
            {texts.start}
          </button>
        )}
        <QueryButton query={exportRequestOf(contentsFrom)} />
        <span className="quiet">{texts.recorded}</span>
      </div>
      <div aria-live="polite">
        {run.kind === 'Running' ? <Progress counts={run.counts} /> : null}
        {run.kind === 'Cancelled' ? <p className="quiet">{texts.cancelled}</p> : null}
        {run.kind === 'Ended' ? <LedgerOutcomeView {...run} /> : null}
      </div>
      <Options
        publicKey={publicKey}
        scope={contentsFrom === null ? 'all' : 'day'}
        onScope={(scope) => setContentsFrom(scope === 'all' ? null : dayAgo())}
        ownKey={ownKey}
        onOwnKey={setOwnKey}
        isBadKey={isBadKey}
      />
    </div>
  );
}

/** What few change, and what proves it without this page. */
function Options({ publicKey, ...fields }: OptionsProps): ReactElement {
  return (
    <details className="ledger-run-options">
      <summary>{texts.options}</summary>
      <div className="ledger-run-form">
        <Fields {...fields} />
      </div>
      {fields.isBadKey ? <p className="quiet">{texts.badKey}</p> : null}
      <Fingerprint publicKey={publicKey} />
      <p className="quiet">
        {audit.verify} <code>{audit.verifyCommand}</code>
      </p>
    </details>
  );
}

interface OptionsProps extends FieldsProps {
  readonly publicKey: string | null;
}

function dayAgo(): string {
  return new Date(serverNow() - dayMilliseconds).toISOString();
}

function Fields({ scope, onScope, ownKey, onOwnKey, isBadKey }: FieldsProps): ReactElement {
  return (
    <>
      <label className="labelled">
        {texts.contents}
        <select className="field" value={scope} onChange={({ target }) => onScope(target.value as Scope)}>
          {Object.entries(texts.scopes).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label className="labelled">
        {texts.ownKey}
        <textarea
          className="field"
          rows={1}
          maxLength={1_000}
          spellCheck={false}
          title={texts.ownKeyHint}
          aria-invalid={isBadKey}
          value={ownKey}
          onChange={({ target }) => onOwnKey(target.value)}
        />
      </label>
    </>
  );
}

interface FieldsProps {
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
  readonly ownKey: string;
  readonly onOwnKey: (key: string) => void;
  readonly isBadKey: boolean;
}

function Fingerprint({ publicKey }: { readonly publicKey: string | null }): ReactElement | null {
  const key = publicKey === null ? null : parsePublicKey(publicKey);
  if (key === null) return null;
  return (
    <p className="ledger-run-key">
      {audit.key} <code>{publicKeyFingerprint(key)}</code>
      <br />
      <span className="quiet">
        {audit.keyHint} <code>{audit.keyCommand}</code>
      </span>
    </p>
  );
}

function Progress({ counts }: { readonly counts: LedgerCounts | undefined }): ReactElement {
  const { entries = 0, expired = 0, expected = 0 } = counts ?? {};
  const done = entries + expired;
  return (
    <div className="ledger-run-progress">
      <progress aria-label={texts.start} max={Math.max(1, expected)} value={done} />
      <span>{texts.progress(done.toLocaleString('en'), expected.toLocaleString('en'))}</span>
    </div>
  );
}
