import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ControllerProcess, startControllerProcess } from '../../e2e/support/controller-process.ts';

const clockOffset = pathToFileURL(join(import.meta.dirname, 'clock-offset.mjs')).href;

/** How long an answer of `/healthz` is waited for before it counts as none. */
const healthTimeoutMilliseconds = 10_000;

/** A database lock and faults of the API end within seconds: what fails more often in a row does not start at all. */
const maximumStarts = 20;

/** Where a controller runs, and what it is configured with. */
interface Place {
  readonly folder: string;
  readonly configuration: object;
}

/** The built controller, killed, paused and started again as the storm wants. */
export class StormedController {
  readonly #place: Place;
  readonly #healthMilliseconds: number[] = [];
  readonly #errors: string[] = [];
  #process: ControllerProcess | undefined;
  #isPaused = false;
  #pauses = 0;
  #readLines = 0;
  #starts = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Undefined while it is down. */
  get url(): string | undefined {
    return this.#isPaused ? undefined : this.#process?.url;
  }

  get starts(): number {
    return this.#starts;
  }

  /** How long each answer of `/healthz` took while the process could run. */
  get healthMilliseconds(): readonly number[] {
    return this.#healthMilliseconds;
  }

  /** Lines that the controller logged as errors: each is a defect of ours. */
  get errors(): readonly string[] {
    this.#collectErrors();
    return this.#errors;
  }

  /**
   * Starts it again and again, as a kubelet would, until it serves; each failed start must end by itself.
   *
   * @throws Error where twenty in a row fail, or one does not end by itself.
   */
  async start(): Promise<void> {
    for (let left = maximumStarts; ; left -= 1) {
      this.#starts += 1;
      try {
        this.#process = await startControllerProcess(this.#place.folder, this.#place.configuration, {
          until: 'Serving',
          environment: { NODE_OPTIONS: `--import=${clockOffset}`, TEST_CLOCK_OFFSET_FILE: this.#offsetFile },
        });
        this.#readLines = 0;
        return;
      } catch (error) {
        if (left === 1 || !String(error).includes('the controller ended with 1')) throw error;
      }
    }
  }

  /** @throws Error where it is down, or does not answer */
  async query<T>(text: string): Promise<T> {
    if (this.#process === undefined) throw new Error('the controller is down');
    return this.#process.query<T>(text);
  }

  async kill(): Promise<void> {
    this.#collectErrors();
    const running = this.#process;
    this.#process = undefined;
    await running?.kill();
  }

  /** SIGTERM; the exit code. */
  async stop(): Promise<number | null> {
    const running = this.#process;
    const code = (await running?.stop()) ?? null;
    this.#collectErrors();
    this.#process = undefined;
    return code;
  }

  pause(): void {
    this.#isPaused = true;
    this.#pauses += 1;
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
    this.#isPaused = false;
  }

  /** Moves the controller's wall clock away from the machine's. */
  async setClockOffset(milliseconds: number): Promise<void> {
    await writeFile(this.#offsetFile, String(milliseconds));
  }

  /** Asks `/healthz` once and keeps how long the answer took. */
  async probeHealth(): Promise<void> {
    const { url } = this;
    if (url === undefined) return;
    const asked = performance.now();
    const pid = this.#process?.pid;
    const pauses = this.#pauses;
    try {
      const answer = await fetch(`${url}/healthz`, {
        signal: AbortSignal.timeout(healthTimeoutMilliseconds),
      });
      await answer.text();
    } catch {
      if (this.url !== url || this.#process?.pid !== pid) return;
    }
    // A process that was paused meanwhile could not answer.
    if (this.url !== url || this.#pauses !== pauses) return;
    this.#healthMilliseconds.push(performance.now() - asked);
  }

  /** Resident memory in MiB; undefined while the process is down. */
  async residentMebibytes(): Promise<number | undefined> {
    if (this.#process === undefined) return undefined;
    const status = await readFile(`/proc/${this.#process.pid}/status`, 'utf8').catch(() => '');
    const kibibytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
  }

  get #offsetFile(): string {
    return join(this.#place.folder, 'clock-offset');
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#process !== undefined) process.kill(this.#process.pid, signal);
  }

  /** pino's level 50 is an error; a line is read once. */
  #collectErrors(): void {
    const lines = this.#process?.log ?? [];
    for (const line of lines.slice(this.#readLines)) {
      const isError = Number(line['level']) >= 50 || line['level'] === 'error' || line['level'] === 'fatal';
      if (isError)
        this.#errors.push(`${String(line['msg'])}: ${textOf(line['sentence']) || messageIn(line['err'])}`);
    }
    this.#readLines = lines.length;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function messageIn(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
}
