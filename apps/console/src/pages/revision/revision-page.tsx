import type { ReactElement, ReactNode } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { type Answer, useAnswer } from '../../api/use-answer.ts';
import { PullRequestName } from '../../components/facts/pull-request-name.tsx';
import { Panel } from '../../components/frames/panel.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Age } from '../../components/time/age.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { plainCauses } from '../../components/words/plain-words.ts';
import { sources as texts } from '../../messages/sources.ts';
import { links } from '../../navigation/links.ts';
import { OutcomeBadge } from '../source/revision-list.tsx';
import type { SourceRevisionFragment } from '../source/source.generated.ts';
import { SourceActionButton } from '../source/source-action-button.tsx';
import { SourceHolds } from '../source/source-holds.tsx';
import { Diagnostics } from './diagnostics.tsx';
import { NewestCommitsDocument, RevisionPageDocument, type RevisionPageQuery } from './revision.generated.ts';

import '../source/source.css';

/** A hash of SHA-1 or SHA-256 as a whole, which is found however old it is. */
const isWhole = (sha: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha);

/** A hash that was shortened by hand is looked for among as many. */
const searched = 100;

/** How a commit was judged, and why. */
export default function RevisionPage(): ReactElement {
  const { name = '', sha = '' } = useParams();
  return isWhole(sha) ? <KnownByHash source={name} sha={sha} /> : <Shortened source={name} sha={sha} />;
}

function KnownByHash({ source: name, sha }: Addressed): ReactElement {
  const answer = useAnswer(RevisionPageDocument, { id: `source:${name}`, commit: sha });
  if (answer.data === undefined) return <Pending answer={answer} />;
  const source = answer.data.node?.__typename === 'Source' ? answer.data.node : undefined;
  if (source === undefined) return <UnknownSource name={name} />;
  return source.revision === null ? (
    <UnknownRevision source={name} why={texts.unknownRevision(sha)} />
  ) : (
    <Revision answer={answer} source={source} revision={source.revision} />
  );
}

/** Goes on to the address that lasts. */
function Shortened({ source: name, sha }: Addressed): ReactElement {
  const answer = useAnswer(NewestCommitsDocument, { id: `source:${name}`, first: searched });
  if (answer.data === undefined) return <Pending answer={answer} />;
  const source = answer.data.node?.__typename === 'Source' ? answer.data.node : undefined;
  if (source === undefined) return <UnknownSource name={name} />;
  const found = source.revisions.find(({ commit }) => commit.hash.startsWith(sha));
  return found === undefined ? (
    <UnknownRevision source={name} why={texts.unknownShortened(sha, searched)} />
  ) : (
    <Navigate replace to={links.revision(name, found.commit.hash)} />
  );
}

interface Addressed {
  readonly source: string;
  readonly sha: string;
}

function Pending({ answer }: { readonly answer: Answer<unknown> }): ReactElement {
  return (
    <>
      <h1>{texts.revision.title}</h1>
      <Panel title={texts.revision.changes} answer={answer}>
        {null}
      </Panel>
    </>
  );
}

function UnknownSource({ name }: { readonly name: string }): ReactElement {
  return (
    <EmptyState isPage title={texts.unknownTitle}>
      {texts.unknown(name)}
      <Link to={links.sources}>{texts.all}</Link>
    </EmptyState>
  );
}

function UnknownRevision({ source, why }: UnknownRevisionProps): ReactElement {
  return (
    <EmptyState isPage title={texts.unknownRevisionTitle}>
      <p>{why}</p>
      <Link to={links.source(source)}>{texts.revision.back}</Link>
    </EmptyState>
  );
}

interface UnknownRevisionProps {
  readonly source: string;
  readonly why: string;
}

function Revision({ answer, source, revision }: RevisionProps): ReactElement {
  const { commit, outcome } = revision;
  const holds = source.holds.filter((hold) => hold.commit === commit.hash);
  const isBefore = outcome === 'active' && source.commit?.hash !== commit.hash;
  const query = {
    document: RevisionPageDocument,
    variables: { id: `source:${source.name}`, commit: commit.hash },
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
              viewerRoles={source.viewerRoles}
              onDone={answer.refresh}
            />
          ) : null}
        </span>
      </header>
      <Panel title={texts.revision.changes} query={query}>
        <Facts source={source} revision={revision} />
      </Panel>
      {holds.length === 0 ? null : (
        <Panel title={texts.holds(holds.filter(({ isRejected }) => !isRejected).length)} query={query}>
          <SourceHolds source={source.name} holds={holds} onDone={answer.refresh} />
        </Panel>
      )}
      <Diagnostics source={source.name} commit={commit.hash} />
    </>
  );
}

interface RevisionProps {
  readonly answer: Answer<RevisionPageQuery>;
  readonly source: Extract<RevisionPageQuery['node'], { readonly __typename: 'Source' }>;
  readonly revision: SourceRevisionFragment;
}

function Facts({ source, revision }: FactsProps): ReactElement {
  const { commit, message, fetchedAt, tenants, signatures } = revision;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [texts.revision.verdict, plainCauses(message)],
    [texts.revision.source, <Link to={links.source(source.name)}>{source.name}</Link>],
    [texts.hold.commit, <code>{commit.hash}</code>],
    [texts.revision.author, commit.author],
    [texts.revision.committed, <Timestamp time={commit.time} />],
    [texts.revision.fetched, <Timestamp time={fetchedAt} />],
    [texts.revision.signature, signatureText(signatures)],
    [texts.revision.pullRequest, <PullRequestFacts pullRequest={commit.pullRequest} url={source.url} />],
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
  readonly source: RevisionProps['source'];
  readonly revision: SourceRevisionFragment;
}

function signatureText(signatures: SourceRevisionFragment['signatures']): string {
  const [first] = signatures;
  if (first === undefined) return texts.unsigned;
  const { accepted, by, signer, reason, status } = first;
  return accepted ? texts.signed(by ?? signer ?? status) : texts.badSignature(reason ?? status);
}

function PullRequestFacts({ pullRequest, url }: PullRequestFactsProps): ReactNode {
  if (pullRequest === null || pullRequest.number === null) return texts.revision.none;
  const { number, approvers, verified } = pullRequest;
  const rest = [
    ...(approvers.length === 0 ? [] : [texts.approvedBy(approvers)]),
    verified ? texts.byForge : texts.byMessage,
  ];
  return (
    <>
      {texts.pullRequest} <PullRequestName number={number} url={url} /> · {rest.join(' · ')}
    </>
  );
}

interface PullRequestFactsProps {
  readonly pullRequest: SourceRevisionFragment['commit']['pullRequest'];
  readonly url: string;
}

function tenantText({
  tenant,
  status,
  policies,
  waitsFor,
}: SourceRevisionFragment['tenants'][number]): string {
  const name = tenant === '' ? texts.revision.tenantRoot : tenant;
  const rest = waitsFor === null ? '' : `, ${texts.revision.waitsFor(waitsFor)}`;
  return `${name}: ${texts.revision.statuses[status] ?? status}, ${texts.revision.policies(policies)}${rest}`;
}
