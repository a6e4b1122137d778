import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { PullRequestName } from '../../components/facts/pull-request-name.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { sources as texts } from '../../messages/sources.ts';
import { links } from '../../navigation/links.ts';

/** A commit in a line: what it says, who wrote it, when, and a link to what it came to. */
export function CommitLine({ source, url, commit }: CommitLineProps): ReactElement {
  const { hash, subject, author, time } = commit;
  const number = commit.pullRequest?.number ?? null;
  return (
    <span className="commit-line">
      <Link className="commit-hash" to={links.revision(source, hash)}>
        {hash.slice(0, 7)}
      </Link>
      <span className="commit-subject" title={subject}>
        {subject}
      </span>
      {number === null ? null : <PullRequestName number={number} url={url} />}
      <span className="quiet" title={author}>
        {nameOf(author)}
      </span>
      <span className="quiet">
        {texts.committed} <Timestamp time={time} form="ago" />
      </span>
    </span>
  );
}

interface CommitLineProps {
  readonly source: string;
  /** Of its repository. */
  readonly url: string;
  readonly commit: {
    readonly hash: string;
    readonly subject: string;
    readonly author: string;
    readonly time: string;
    readonly pullRequest: { readonly number: number | null } | null;
  };
}

/** Of `Name <address>` the name. */
function nameOf(author: string): string {
  const [name = ''] = author.split(' <');
  return name;
}
