import type { ReactElement, ReactNode } from 'react';
import { isJsonObject, type Json } from '#kernel';
import { compareDocuments, type FieldChange } from '#policy';
import { AllowingActions } from '../../components/facts/allowing-actions.tsx';
import { CommitName } from '../../components/facts/commit-name.tsx';
import { PullRequestName, useSourceAddresses } from '../../components/facts/pull-request-name.tsx';
import { hasLeft, Removal } from '../../components/facts/removal.tsx';
import { ChangeList } from '../../components/lists/change-list.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { policy } from '../../messages/policy.ts';
import type { PolicyHistoryQuery } from './policy.generated.ts';

const texts = policy.versions;

type Version = NonNullable<PolicyHistoryQuery['policy']>['versions']['edges'][number]['node'];

/** What the policy was and is, newest first, each with what it changed in effective values. */
export function Versions({ versions, hasOlder }: VersionsProps): ReactElement {
  const addressOf = useSourceAddresses();
  return (
    <ol className="versions">
      {versions.map((version, index) => (
        <li key={version.validFrom} className="version">
          <p>
            <Timestamp time={version.validFrom} />{' '}
            <CommitName source={version.origin.source} hash={version.origin.commit.hash} />{' '}
            <strong>{version.origin.commit.subject}</strong>{' '}
            <span className="quiet">{version.origin.commit.author}</span>{' '}
            <VersionPullRequest origin={version.origin} addressOf={addressOf} />{' '}
            {version.validTo === null ? <span className="badge">{texts.inForce}</span> : null}
          </p>
          <AllowingActions allowedBy={version.allowedBy ?? []} />
          {hasOlder && index === versions.length - 1 ? null : (
            <Changes before={versions[index + 1]?.document} after={version.document} />
          )}
          {hasLeft(version) ? (
            <Removal title={texts.left} version={version} source={version.origin.source} />
          ) : null}
        </li>
      ))}
    </ol>
  );
}

interface VersionsProps {
  readonly versions: readonly Version[];
  /** Then nobody knows yet what the last of them changed. */
  readonly hasOlder: boolean;
}

function VersionPullRequest({ origin: { source, commit }, addressOf }: VersionPullRequestProps): ReactNode {
  const number = commit.pullRequest?.number ?? null;
  return number === null ? null : <PullRequestName number={number} url={addressOf(source)} />;
}

interface VersionPullRequestProps {
  readonly origin: Version['origin'];
  readonly addressOf: ReturnType<typeof useSourceAddresses>;
}

function Changes({ before, after }: { readonly before: unknown; readonly after: unknown }): ReactElement {
  if (before === undefined) return <p className="quiet">{texts.first}</p>;
  const changes = changesOf(before as Json, after as Json);
  if (changes.length === 0) return <p className="quiet">{texts.same}</p>;
  return <ChangeList changes={changes} absent={texts.absent} />;
}

function changesOf(before: Json, after: Json): readonly FieldChange[] {
  return isJsonObject(before) && isJsonObject(after) ? compareDocuments(before, after) : [];
}
