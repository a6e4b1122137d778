import { type ReactElement, Suspense } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { audit as texts } from '../../messages/audit.ts';
import { AuditSealDocument, type AuditSealQuery } from './audit.generated.ts';

const LedgerRun = lazyPart(() => import('./ledger-run.tsx'));

/** The latest signed checkpoint, where its notes go, and how to verify it all without this server. */
export function LedgerSealPanel(): ReactElement {
  const answer = useAnswer(AuditSealDocument, {});
  const seal = answer.data?.ledgerSeal ?? null;
  return (
    <Panel title={texts.seal} answer={answer} query={{ document: AuditSealDocument, variables: {} }}>
      <Seal seal={seal} />
      {seal === null ? null : (
        <Suspense fallback={<div className="skeleton" />}>
          <LedgerRun publicKey={seal.publicKey} />
        </Suspense>
      )}
    </Panel>
  );
}

type SealState = AuditSealQuery['ledgerSeal'];

function Seal({ seal }: { readonly seal: SealState }): ReactElement {
  const last = seal?.last ?? null;
  if (seal === null) return <p className="quiet">{texts.hiddenSeal}</p>;
  if (last === null) return <p>{texts.noSeal}</p>;
  return (
    <>
      <p>
        <strong>{texts.sealed(last.number, last.entries, last.streams)}</strong>{' '}
        <span className="quiet">
          <Timestamp time={last.time} form="ago" />
        </span>
      </p>
      {seal.failingSince === null ? null : (
        <p className="problem" role="alert">
          {texts.failing} <Timestamp time={seal.failingSince} />
        </p>
      )}
      {seal.sinks.length === 0 ? <p className="quiet">{texts.noSinks}</p> : null}
      <ul className="audit-sinks">
        {seal.sinks.map(({ sink, failingSince, deliveredAt, waiting, dropped }) => (
          <li key={sink}>
            <code>{sink}</code>{' '}
            {failingSince === null ? (
              <Delivered at={deliveredAt} />
            ) : (
              <span className="badge" data-severity="critical">
                {texts.sinkFails} <Timestamp time={failingSince} />
              </span>
            )}
            {waiting === 0 ? null : <span className="audit-sink-waits">{texts.sinkWaits(waiting)}</span>}
            {dropped === 0 ? null : (
              <span className="problem" role="alert">
                <SeverityShape severity="critical" />
                <span>
                  <strong>{texts.sinkDropped(dropped)}</strong> {texts.sinkDroppedText}
                </span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Delivered({ at }: { readonly at: string | null }): ReactElement {
  if (at === null) return <span className="quiet">{texts.sinkNothing}</span>;
  return (
    <>
      {texts.sinkTook} <Timestamp time={at} form="ago" />
    </>
  );
}
