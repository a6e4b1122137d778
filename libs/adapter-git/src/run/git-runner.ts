import { simpleGit, type SimpleGitOptions } from 'simple-git';
import { AdapterError } from '#kernel';
import { GitExit, gitFailure } from './git-failure.ts';
import {
  bigFileBytes,
  localTimeoutMilliseconds,
  maximumErrorOutputBytes,
  maximumGitMemoryBytes,
  maximumLineBytes,
  stopGraceMilliseconds,
} from './git-limits.ts';
import { redact } from './redact.ts';

/** One command. Operands that come from outside stand behind `--` or are hashes that were checked. */
export interface GitCommand {
  /** For the error: `fetch of shop`. */
  readonly what: string;
  readonly args: readonly string[];
  /** Given to the process, and then closed. */
  readonly input?: string;
  /** Beside the hardened environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMilliseconds?: number;
  readonly maximumOutputBytes?: number;
  /** Of its address space. */
  readonly maximumMemoryBytes?: number;
  /** Other reasons to end it; its reason, an AdapterError, is what is thrown. */
  readonly signal?: AbortSignal;
}

/** What the process may have set of its own; everything else of the environment stays outside. */
const passedOn = [
  'PATH',
  'TMPDIR',
  'SYSTEMROOT',
  'https_proxy',
  'HTTPS_PROXY',
  'http_proxy',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/**
 * Git without any other configuration: no system or user configuration, no prompt, no editor, no pager, English messages.
 * Without a word of the caller's no protocol is allowed at all, so a read can never become a fetch.
 */
const hardened: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_ALLOW_PROTOCOL: '',
  LC_ALL: 'C',
};

/** Settings of every command: no hooks, no background work, no redirect that carries a token away. */
const config = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.symlinks=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'fetch.recurseSubmodules=false',
  'http.followRedirects=false',
  'protocol.version=2',
  'submodule.recurse=false',
  'advice.detachedHead=false',
  'log.showSignature=false',
  // Files are streamed, packs are mapped in small windows, and one thread works: memory does not grow with what is sent.
  `core.bigFileThreshold=${bigFileBytes}`,
  'core.packedGitWindowSize=16m',
  'core.packedGitLimit=128m',
  'core.deltaBaseCacheLimit=32m',
  'pack.threads=1',
  'pack.windowMemory=64m',
  'pack.deltaCacheSize=32m',
  // Objects are checked as they arrive. Old tools wrote these three into the histories of well-known repositories.
  'fetch.fsckObjects=true',
  'fetch.fsck.badTimezone=ignore',
  'fetch.fsck.missingSpaceBeforeDate=ignore',
  'fetch.fsck.zeroPaddedFilemode=ignore',
];

/** What simple-git guards against: each is set by us, to a value of ours. */
const unsafe = {
  allowUnsafeAskPass: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCustomBinary: true,
  allowUnsafeEditor: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafePager: true,
  allowUnsafeSshCommand: true,
  allowUnsafeTemplateDir: true,
} satisfies SimpleGitOptions['unsafe'];

/** Runs git in one folder. */
export class GitRunner {
  readonly #folder: string;
  readonly #launcher: string;
  readonly #closing: AbortSignal | undefined;

  /**
   * The folder exists; a bare repository, or any folder for commands that need none. `launcher` is the file that
   * {@link writeLauncher} wrote. Once `closing` is aborted, with an AdapterError as its reason, no command runs any more.
   */
  constructor(folder: string, launcher: string, closing?: AbortSignal) {
    this.#folder = folder;
    this.#launcher = launcher;
    this.#closing = closing;
  }

  /**
   * The bytes that the command wrote.
   *
   * @throws AdapterError
   */
  async bytes(command: GitCommand): Promise<Buffer> {
    try {
      return await this.#run(command);
    } catch (error) {
      throw error instanceof GitExit ? gitFailure(command.what, error) : error;
    }
  }

  /**
   * The text that the command wrote, without a final line end.
   *
   * @throws AdapterError
   */
  async text(command: GitCommand): Promise<string> {
    return (await this.bytes(command)).toString('utf8').replace(/\n$/, '');
  }

  /** The status that the command ended with, and what it wrote: for commands whose status is an answer. */
  async status(
    command: GitCommand,
  ): Promise<{ readonly status: number; readonly output: string; readonly complaint: string }> {
    try {
      const output = (await this.#run(command)).toString('utf8');
      return { status: 0, output, complaint: '' };
    } catch (error) {
      if (!(error instanceof GitExit)) throw error;
      return { status: error.status, output: '', complaint: error.complaint };
    }
  }

  async #run(command: GitCommand): Promise<Buffer> {
    const signals = [command.signal, this.#closing].filter((signal) => signal !== undefined);
    const others = AbortSignal.any(signals);
    others.throwIfAborted();
    const stop = new AbortController();
    const timeout = command.timeoutMilliseconds ?? localTimeoutMilliseconds;
    const timer = setTimeout(() => stop.abort(timedOut(command.what, timeout)), timeout);
    const forward = (): void => stop.abort(others.reason);
    others.addEventListener('abort', forward, { once: true });
    const output = new BoundedOutput(command, stop);
    try {
      await Promise.race([this.#spawn(command, stop.signal, output), afterGrace(stop.signal)]);
      return output.bytes();
    } catch (error) {
      throw failureOf(command.what, stop.signal, error);
    } finally {
      clearTimeout(timer);
      others.removeEventListener('abort', forward);
    }
  }

  async #spawn(command: GitCommand, abort: AbortSignal, output: BoundedOutput): Promise<void> {
    let exit: GitExit | undefined;
    const memoryBytes = command.maximumMemoryBytes ?? maximumGitMemoryBytes;
    const environment = {
      ...inherited(),
      ...hardened,
      HOME: this.#folder,
      // Where it is no repository any more, git would look for one in the folders above.
      GIT_DIR: this.#folder,
      PLIMSOLL_GIT_KIBIBYTES: String(Math.floor(memoryBytes / 1024)),
      ...command.environment,
    };
    const git = simpleGit({
      baseDir: this.#folder,
      abort,
      binary: ['/bin/sh', this.#launcher],
      unsafe,
      config: [...config],
      allowEnvironment: Object.keys(environment),
      completion: { onClose: true, onExit: false },
      input: () => command.input,
      errors: (error, { exitCode, stdErr }) => {
        if (exitCode === 0 || abort.aborted) return error;
        return (exit = new GitExit(exitCode, Buffer.concat(stdErr).toString('utf8')));
      },
    });
    git.env(environment).outputHandler((_name, stdout, stderr) => {
      stdout.on('data', (chunk: Buffer) => output.add(chunk));
      stderr.on('data', (chunk: Buffer) => output.addError(chunk));
    });
    try {
      await git.raw([...command.args]);
    } catch (error) {
      throw exit ?? error;
    }
  }
}

/** Collects what a process writes, and ends the process beyond the limit. */
class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #command: GitCommand;
  readonly #stop: AbortController;
  readonly #limit: number;
  #size = 0;
  #errorSize = 0;

  constructor(command: GitCommand, stop: AbortController) {
    this.#command = command;
    this.#stop = stop;
    this.#limit = command.maximumOutputBytes ?? maximumLineBytes;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= this.#limit) this.#chunks.push(chunk);
    else this.#stop.abort(tooLarge(this.#command.what, this.#limit));
  }

  /** A remote may write messages without end; they are collected elsewhere. */
  addError(chunk: Buffer): void {
    this.#errorSize += chunk.length;
    if (this.#errorSize > maximumErrorOutputBytes)
      this.#stop.abort(tooLarge(this.#command.what, maximumErrorOutputBytes));
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Rejects some time after the signal. */
function afterGrace(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => {
      setTimeout(() => reject(new Error('git did not end')), stopGraceMilliseconds).unref();
    };
    signal.addEventListener('abort', give, { once: true });
  });
}

function inherited(): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

function timedOut(what: string, milliseconds: number): AdapterError {
  return new AdapterError({
    code: 'Timeout',
    message: `${what}: git took longer than ${milliseconds} ms`,
    retryable: true,
  });
}

function tooLarge(what: string, bytes: number): AdapterError {
  return new AdapterError({
    code: 'TooLarge',
    message: `${what}: git wrote more than ${bytes} bytes`,
    retryable: false,
  });
}

function failureOf(what: string, stop: AbortSignal, error: unknown): unknown {
  if (stop.aborted && stop.reason instanceof AdapterError) return stop.reason;
  if (error instanceof GitExit || error instanceof AdapterError) return error;
  const reason = error instanceof Error ? redact(error.message) : 'unknown';
  return new AdapterError({
    code: 'GitNotRun',
    message: `${what}: git could not be run (${reason})`,
    retryable: true,
  });
}
