import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Timestamp } from '../../components/timestamp.tsx';
import { links } from '../../navigation/links.ts';

/** A commit in a line: what it says, who wrote it, when, and a link to what it came to. */
export function CommitLine({ source, commit }: CommitLineProps): ReactElement {
  const { hash, subject, author, time } = commit;
  return (
    <span className="commit-line">
      <Link className="commit-hash" to={links.revision(source, hash)}>
        {hash.slice(0, 7)}
      </Link>
      <span className="commit-subject" title={subject}>
        {subject}
      </span>
      <span className="quiet" title={author}>
        {nameOf(author)}
      </span>
      <span className="quiet">
        <Timestamp time={time} form="ago" />
      </span>
    </span>
  );
}

interface CommitLineProps {
  readonly source: string;
  readonly commit: {
    readonly hash: string;
    readonly subject: string;
    readonly author: string;
    readonly time: string;
  };
}

/** Of `Name <address>` the name. */
function nameOf(author: string): string {
  const [name = ''] = author.split(' <');
  return name;
}
