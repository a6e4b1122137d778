import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClusterAnswer, ClusterRequest } from './simulated-cluster.ts';

/** The simulator's process, and what it last said. */
export class SimulatedCluster {
  readonly #process: ChildProcess;
  #answer: ClusterAnswer;

  private constructor(process: ChildProcess, answer: ClusterAnswer) {
    this.#process = process;
    this.#answer = answer;
  }

  static async start(policies: number): Promise<SimulatedCluster> {
    const file = join(import.meta.dirname, 'simulated-cluster.ts');
    const child = fork(file, [String(policies)], { execArgv: ['--max-old-space-size=8192'] });
    const [answer] = (await once(child, 'message')) as [ClusterAnswer];
    return new SimulatedCluster(child, answer);
  }

  get answer(): ClusterAnswer {
    return this.#answer;
  }

  async ask(request: ClusterRequest): Promise<ClusterAnswer> {
    const answered = once(this.#process, 'message') as Promise<[ClusterAnswer]>;
    this.#process.send(request);
    [this.#answer] = await answered;
    return this.#answer;
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }
}
