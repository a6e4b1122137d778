import type { ReactElement, ReactNode } from 'react';
import { actorName } from '#kernel';
import { AllowingActions } from '../../components/facts/allowing-actions.tsx';
import { CommitName } from '../../components/facts/commit-name.tsx';
import { PullRequestName, useSourceAddresses } from '../../components/facts/pull-request-name.tsx';
import { hasLeft, Removal } from '../../components/facts/removal.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { decision } from '../../messages/decision.ts';
import type {
  BlameOutcomePartsFragment,
  BlamePartsFragment,
  PullRequestPartsFragment,
} from './decision.generated.ts';

const texts = decision.blame;

/** Who allowed a decision, from the commit of its policy to the write to Kubernetes. */
export function BlameView({ blame }: { readonly blame: BlamePartsFragment | null }): ReactElement {
  const commit = blame?.commit ?? null;
  if (blame === null || commit === null) return <p className="quiet">{texts.none}</p>;
  return (
    <dl className="facts">
      <Fact title={texts.commit}>
        <CommitName source={sourceOf(blame)} hash={commit.hash} /> <strong>{commit.subject}</strong>
      </Fact>
      <Fact title={texts.author}>
        {commit.author}{' '}
        <span className="quiet">
          · <Timestamp time={commit.time} form="ago" />
        </span>
      </Fact>
      <PullRequestFacts
        pullRequest={blame.review?.pullRequest ?? commit.pullRequest}
        source={sourceOf(blame)}
      />
      <Fact title={texts.signature}>
        <IfVisible blame={blame} part="Revision">
          <Signatures signatures={blame.signatures} />
        </IfVisible>
      </Fact>
      <LetIn blame={blame} />
      <VersionFacts blame={blame} />
      <Fact title={texts.written}>
        {blame.outcomes.length === 0 ? <span className="quiet">{texts.nothingWritten}</span> : null}
        {blame.outcomes.map((outcome) => (
          <OutcomeLine key={outcome.id} outcome={outcome} />
        ))}
      </Fact>
    </dl>
  );
}

function sourceOf({ version, change, sync }: BlamePartsFragment): string | undefined {
  return version?.origin.source ?? change?.source ?? sync?.source;
}

/** Where the document stands, since when it is in force, and how it left. */
function VersionFacts({ blame: { version, change, sync } }: VersionFactsProps): ReactElement {
  const since = change?.time ?? sync?.time;
  return (
    <>
      {version === null ? null : (
        <Fact title={texts.document}>
          <code>
            {version.origin.file}:{version.origin.line}
          </code>
        </Fact>
      )}
      {since === undefined ? null : (
        <Fact title={texts.inForce}>
          <Timestamp time={since} />
        </Fact>
      )}
      {version === null || !hasLeft(version) ? null : (
        <Fact title={texts.left}>
          <Removal version={version} source={version.origin.source} />
        </Fact>
      )}
    </>
  );
}

interface VersionFactsProps {
  readonly blame: BlamePartsFragment;
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="facts-row">
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function PullRequestFacts({ pullRequest, source }: PullRequestProps): ReactElement {
  const addressOf = useSourceAddresses();
  if (pullRequest === null) {
    return (
      <Fact title={texts.pullRequest}>
        <span className="quiet">{texts.noPullRequest}</span>
      </Fact>
    );
  }
  const { number, author, approvers, verified } = pullRequest;
  return (
    <>
      <Fact title={texts.pullRequest}>
        {number === null ? texts.noPullRequest : <PullRequestName number={number} url={addressOf(source)} />}{' '}
        {author === null ? '' : texts.by(author)}
        {verified ? null : <span className="quiet"> ({texts.claimed})</span>}
      </Fact>
      <Fact title={texts.approvers}>
        {approvers.length === 0 ? <span className="quiet">{texts.noApprovers}</span> : approvers.join(', ')}
      </Fact>
    </>
  );
}

interface PullRequestProps {
  readonly pullRequest: PullRequestPartsFragment | null;
  readonly source: string | undefined;
}

function Signatures({ signatures }: Pick<BlamePartsFragment, 'signatures'>): ReactElement {
  const [newest] = signatures;
  if (newest === undefined) return <span className="quiet">{texts.noSignature}</span>;
  const who = newest.signer === null ? '' : texts.by(newest.signer);
  return (
    <>
      {newest.status} {who} {newest.reason}
    </>
  );
}

/** What operators did to let the version into force; nothing where it needed nobody. */
function LetIn({ blame }: VersionFactsProps): ReactElement | null {
  const allowedBy = blame.allowedBy ?? [];
  if (allowedBy.length === 0 && hiddenPart(blame, 'AllowedBy') === undefined) return null;
  return (
    <Fact title={texts.letIn}>
      <IfVisible blame={blame} part="AllowedBy">
        <AllowingActions allowedBy={allowedBy} />
      </IfVisible>
    </Fact>
  );
}

/** A part of the answer, or which role would show it. */
function IfVisible({ blame, part, children }: IfVisibleProps): ReactElement {
  const hidden = hiddenPart(blame, part);
  if (hidden === undefined) return <>{children}</>;
  return <span className="quiet">{texts.notVisible(hidden.message)}</span>;
}

interface IfVisibleProps extends VersionFactsProps {
  readonly part: HiddenPart['part'];
  readonly children: ReactNode;
}

type HiddenPart = BlamePartsFragment['notVisible'][number];

function hiddenPart({ notVisible }: BlamePartsFragment, part: HiddenPart['part']): HiddenPart | undefined {
  return notVisible.find((hidden) => hidden.part === part);
}

function OutcomeLine({ outcome }: { readonly outcome: BlameOutcomePartsFragment }): ReactElement {
  return (
    <p>
      {outcomeText(outcome)}{' '}
      <span className="quiet">
        <Timestamp time={outcome.time} form="time" />
      </span>
    </p>
  );
}

function outcomeText(outcome: BlameOutcomePartsFragment): string {
  if ('from' in outcome) return texts.scaled(outcome.from, outcome.to, actorName(outcome.manager ?? ''));
  if ('code' in outcome) return `${outcome.code}: ${outcome.message}`;
  if ('verb' in outcome) return `${outcome.verb} ${outcome.result}. ${outcome.message}`;
  return outcome.__typename;
}
