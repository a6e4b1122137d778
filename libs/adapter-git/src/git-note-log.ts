import type { RemoteAccess } from './fetch/remote.ts';
import { checkedHash, checkedRef } from './objects/git-ref.ts';
import { hasCode } from './run/git-failure.ts';
import { localTimeoutMilliseconds, maximumLineBytes } from './run/git-limits.ts';
import type { GitRunner } from './run/git-runner.ts';

/** Talks that bring or send one small commit; a server that takes longer does not answer. */
const talkMilliseconds = 20_000;

/** Where the ref is kept here. */
const keptRef = 'refs/plimsoll/log';

/** Who commits. */
const person = { name: 'Plimsoll', email: 'plimsoll@localhost' };

/** A text to be committed as the only file of its commit. */
export interface LoggedNote {
  /** The file's name. */
  readonly file: string;
  readonly text: string;
  /** The commit's message. */
  readonly message: string;
  /** The commit's time, RFC 3339. */
  readonly time: string;
}

export interface GitNoteLogOptions {
  readonly runner: GitRunner;
  readonly access: RemoteAccess;
  readonly ref: string;
  /** Makes the repository where it is gone: true where it was. */
  readonly restore: () => Promise<boolean>;
  /** Begins anew with the other kind of object names. */
  readonly reformat: () => Promise<void>;
}

/** A ref of a remote repository that commits are added to, and never taken from. */
export class GitNoteLog {
  readonly #options: GitNoteLogOptions;
  /** The ref's commit at the remote; `null`: there is no such ref; undefined: not known. */
  #tip: string | null | undefined;

  constructor(options: GitNoteLogOptions) {
    this.#options = options;
  }

  /**
   * The text of a file in the ref's last commit; `null`: there is none.
   *
   * @throws AdapterError
   */
  async load(file: string): Promise<string | null> {
    await this.#restore();
    const tip = await this.#knownTip();
    if (tip === null) return null;
    const { status, output } = await this.#options.runner.status({
      what: `read ${file}`,
      args: ['cat-file', 'blob', `${checkedHash(tip)}:${file}`],
      maximumOutputBytes: maximumLineBytes,
    });
    return status === 0 ? output : null;
  }

  /**
   * Commits each text, and pushes all of them at once. A ref that has moved meanwhile refuses them.
   *
   * @throws AdapterError
   */
  async append(notes: readonly LoggedNote[]): Promise<void> {
    if (notes.length === 0) return;
    await this.#restore();
    // Whatever names its objects otherwise says so at a fetch, or, where there is nothing to fetch, at the push.
    await this.#inItsFormat(() => this.#push(notes));
  }

  async #restore(): Promise<void> {
    if (await this.#options.restore()) this.#tip = undefined;
  }

  async #push(notes: readonly LoggedNote[]): Promise<void> {
    let tip = await this.#knownTip();
    for (const note of notes) tip = await this.#commit(note, tip);
    if (tip === null) return;
    // Until the push is answered it is not known what the remote has.
    this.#tip = undefined;
    await this.#talk('push', ['push', '--quiet', 'origin', `${checkedHash(tip)}:${this.#ref}`]);
    this.#tip = tip;
  }

  get #ref(): string {
    return checkedRef(this.#options.ref);
  }

  async #knownTip(): Promise<string | null> {
    this.#tip ??= await this.#fetch();
    return this.#tip;
  }

  async #fetch(): Promise<string | null> {
    const refspec = `+${this.#ref}:${keptRef}`;
    const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--depth=1', 'origin', refspec];
    try {
      await this.#inItsFormat(() => this.#talk('fetch', fetch));
    } catch (error) {
      if (hasCode(error, 'RefNotFound')) return null;
      throw error;
    }
    return this.#options.runner.text({ what: 'look for the ref', args: ['rev-parse', '--verify', keptRef] });
  }

  async #inItsFormat(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!hasCode(error, 'ObjectFormatDiffers')) throw error;
      await this.#options.reformat();
      await work();
    }
  }

  async #commit({ file, text, message, time }: LoggedNote, parent: string | null): Promise<string> {
    const { runner } = this.#options;
    const blob = await runner.text({
      what: 'write a note',
      args: ['hash-object', '-w', '--stdin'],
      input: text,
    });
    const entry = `100644 blob ${checkedHash(blob)}\t${file}\n`;
    const tree = await runner.text({ what: 'write a tree', args: ['mktree'], input: entry });
    const parents = parent === null ? [] : ['-p', checkedHash(parent)];
    return runner.text({
      what: 'write a commit',
      args: ['commit-tree', checkedHash(tree), ...parents, '-F', '-'],
      input: `${message}\n`,
      environment: {
        GIT_AUTHOR_NAME: person.name,
        GIT_AUTHOR_EMAIL: person.email,
        GIT_AUTHOR_DATE: time,
        GIT_COMMITTER_NAME: person.name,
        GIT_COMMITTER_EMAIL: person.email,
        GIT_COMMITTER_DATE: time,
      },
      timeoutMilliseconds: localTimeoutMilliseconds,
    });
  }

  async #talk(what: string, args: readonly string[]): Promise<void> {
    const { runner, access, ref } = this.#options;
    const once = async (): Promise<void> => {
      await runner.bytes({
        what: `${what} of ${ref}`,
        args,
        environment: { ...(await access.environment()), GIT_ALLOW_PROTOCOL: access.protocol },
        timeoutMilliseconds: talkMilliseconds,
        maximumOutputBytes: maximumLineBytes,
      });
    };
    try {
      await once();
    } catch (error) {
      if (!hasCode(error, 'AuthenticationFailed') || !access.renew()) throw error;
      await once();
    } finally {
      await access.tidy();
    }
  }
}
