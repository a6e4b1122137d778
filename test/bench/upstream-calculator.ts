import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const build = join(import.meta.dirname, '..', 'upstream', 'build.mjs');
/** How build.mjs ends where there is no Go. */
const goMissing = 3;

/** The replica calculator of Kubernetes, in a process that times it on the inputs of a bench. */
export class UpstreamCalculator {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  private constructor(program: string) {
    this.#process = spawn(program, ['-time'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: Interface = createInterface({ input: this.#process.stdout });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Null where Go is not installed; where it is, the first start builds the program for some minutes. */
  static start(): UpstreamCalculator | null {
    try {
      return new UpstreamCalculator(execFileSync(process.execPath, [build], { encoding: 'utf8' }).trim());
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status === goMissing) return null;
      throw error;
    }
  }

  /** What the calculator takes for all metrics of an input as JSON, in nanoseconds. */
  async time(input: string): Promise<number> {
    this.#process.stdin.write(`${input}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error('upstream-hpa ended without an answer');
    const answer: unknown = JSON.parse(line.value);
    if (typeof answer === 'object' && answer !== null && 'nsPerCall' in answer)
      return Number(answer.nsPerCall);
    throw new Error(`upstream-hpa answered ${line.value}`);
  }

  async stop(): Promise<void> {
    const end = once(this.#process, 'close');
    this.#process.stdin.end();
    await end;
  }
}
