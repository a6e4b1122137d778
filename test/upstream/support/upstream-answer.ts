import { spawn } from 'node:child_process';

/** What upstream's controller made of one input; the program's `Output`. */
export interface UpstreamAnswer {
  readonly desired: number;
  readonly written: boolean;
  readonly reason: string;
  readonly error?: string;
  readonly proposals: readonly (number | null)[] | null;
  readonly current: readonly (Readonly<Record<string, unknown>> | null)[] | null;
  readonly memory: UpstreamMemory;
}

export interface UpstreamMemory {
  readonly recommendations: readonly UpstreamCount[] | null;
  readonly scaleUpEvents: readonly UpstreamCount[] | null;
  readonly scaleDownEvents: readonly UpstreamCount[] | null;
  readonly lastScaleTime?: string;
  readonly conditions: readonly UpstreamCondition[];
}

interface UpstreamCount {
  readonly replicas: number;
  readonly time: string;
}

export interface UpstreamCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly lastTransitionTime: string;
}

/** Asks the program about all inputs at once; one answer each, in order. */
export async function askUpstream(
  program: string,
  inputs: readonly unknown[],
): Promise<readonly UpstreamAnswer[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const answered = new Promise<string>((resolve, reject) => {
    const parts: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (part: string) => parts.push(part));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(parts.join(''));
      else reject(new Error(`${program} ended with ${String(code)}`));
    });
  });
  child.stdin.end(inputs.map((input) => `${JSON.stringify(input)}\n`).join(''));
  const lines = (await answered).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as UpstreamAnswer);
}
