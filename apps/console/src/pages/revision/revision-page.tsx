import type { ReactElement, ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { type Answer, useAnswer } from '../../api/use-answer.ts';
import { Age } from '../../components/age.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { sources as texts } from '../../messages/sources.ts';
import { links } from '../../navigation/links.ts';
import { OutcomeBadge } from '../source/revision-list.tsx';
import {
  SourcePageDocument,
  type SourcePageQuery,
  type SourceRevisionFragment,
} from '../source/source.generated.ts';
import { SourceActionButton } from '../source/source-action-button.tsx';
import { SourceHolds } from '../source/source-holds.tsx';
import { Diagnostics } from './diagnostics.tsx';

import '../source/source.css';

/** Revisions are found among the latest ones of their source. */
const searched = 100;

/** How a commit was judged, and why. */
export default function RevisionPage(): ReactElement {
  const { name = '', sha = '' } = useParams();
  const variables = { id: `source:${name}`, revisions: searched };
  const answer = useAnswer(SourcePageDocument, variables);
  if (answer.data === undefined) {
    return (
      <>
        <h1>{texts.revision.title}</h1>
        <Panel title={texts.revision.changes} answer={answer}>
          {null}
        </Panel>
      </>
    );
  }
  const source = answer.data.node?.__typename === 'Source' ? answer.data.node : undefined;
  if (source === undefined) {
    return (
      <EmptyState isPage title={texts.unknownTitle}>
        {texts.unknown(name)}
        <Link to={links.sources}>{texts.all}</Link>
      </EmptyState>
    );
  }
  const revision = source.revisions.find(({ commit }) => commit.hash.startsWith(sha));
  return revision === undefined ? (
    <UnknownRevision source={name} sha={sha} />
  ) : (
    <Revision answer={answer} source={source} revision={revision} />
  );
}

function UnknownRevision({ source, sha }: { readonly source: string; readonly sha: string }): ReactElement {
  return (
    <EmptyState isPage title={texts.unknownRevisionTitle}>
      <p>{texts.unknownRevision(sha, searched)}</p>
      <Link to={links.source(source)}>{texts.revision.back}</Link>
    </EmptyState>
  );
}

function Revision({ answer, source, revision }: RevisionProps): ReactElement {
  const { commit, outcome } = revision;
  const holds = source.holds.filter((hold) => hold.commit === commit.hash);
  const isBefore = outcome === 'active' && source.commit?.hash !== commit.hash;
  const query = {
    document: SourcePageDocument,
    variables: { id: `source:${source.name}`, revisions: searched },
  };
  return (
    <>
      <header className="panel-header">
        <h1>{commit.subject}</h1>
        <OutcomeBadge outcome={outcome} />
        <span className="panel-tools">
          <Age of={answer} />
          {isBefore ? (
            <SourceActionButton
              action={{ kind: 'rollBack', source: source.name, commit: commit.hash }}
              onDone={answer.refresh}
            />
          ) : null}
        </span>
      </header>
      <Panel title={texts.revision.changes} query={query}>
        <Facts source={source.name} revision={revision} />
      </Panel>
      {holds.length === 0 ? null : (
        <Panel title={texts.holds} query={query}>
          <SourceHolds source={source.name} holds={holds} onDone={answer.refresh} />
        </Panel>
      )}
      <Diagnostics source={source.name} commit={commit.hash} />
    </>
  );
}

interface RevisionProps {
  readonly answer: Answer<SourcePageQuery>;
  readonly source: Extract<SourcePageQuery['node'], { readonly __typename: 'Source' }>;
  readonly revision: SourceRevisionFragment;
}

function Facts({ source, revision }: FactsProps): ReactElement {
  const { commit, message, fetchedAt, tenants, signatures } = revision;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [texts.revision.verdict, message],
    [texts.revision.source, <Link to={links.source(source)}>{source}</Link>],
    [texts.hold.commit, <code>{commit.hash}</code>],
    [texts.revision.author, commit.author],
    [texts.revision.committed, <Timestamp time={commit.time} />],
    [texts.revision.fetched, <Timestamp time={fetchedAt} />],
    [texts.revision.signature, signatureText(signatures)],
    [texts.revision.pullRequest, pullRequestText(commit.pullRequest)],
    [texts.revision.tenants, tenants.map(tenantText).join(' · ')],
  ];
  return (
    <dl className="facts">
      {rows.map(([title, value]) => (
        <div key={title} className="facts-row">
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FactsProps {
  readonly source: string;
  readonly revision: SourceRevisionFragment;
}

function signatureText(signatures: SourceRevisionFragment['signatures']): string {
  const [first] = signatures;
  if (first === undefined) return texts.unsigned;
  const { accepted, by, signer, reason, status } = first;
  return accepted ? texts.signed(by ?? signer ?? status) : texts.badSignature(reason ?? status);
}

function pullRequestText(pullRequest: SourceRevisionFragment['commit']['pullRequest']): string {
  if (pullRequest === null || pullRequest.number === null) return texts.revision.none;
  const { number, approvers, verified } = pullRequest;
  return [
    texts.pullRequest(number),
    ...(approvers.length === 0 ? [] : [texts.approvedBy(approvers)]),
    verified ? texts.byForge : texts.byMessage,
  ].join(' · ');
}

function tenantText({
  tenant,
  status,
  policies,
  waitsFor,
}: SourceRevisionFragment['tenants'][number]): string {
  const name = tenant === '' ? texts.revision.tenantRoot : tenant;
  const rest = waitsFor === null ? '' : `, ${texts.revision.waitsFor(waitsFor)}`;
  return `${name}: ${status}, ${texts.revision.policies(policies)}${rest}`;
}
