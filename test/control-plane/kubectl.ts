import { spawn } from 'node:child_process';

/** Runs kubectl against one cluster. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

const timeoutMilliseconds = 60_000;

/**
 * Makes a kubectl for a kubeconfig. Nothing of the user's own kubectl (cache, preferences, plugins) is read or written.
 *
 * @returns a function that gives what kubectl printed; `input` is its standard input (`['apply', '-f', '-']`). It throws
 * kubectl's standard error when that fails or takes more than a minute.
 */
export function createKubectl(command: string, kubeconfig: string, cacheFolder: string): Kubectl {
  const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: cacheFolder, KUBECTL_KUBERC: 'false' };
  return (args, input = '') =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, { env, timeout: timeoutMilliseconds, killSignal: 'SIGKILL' });
      const printed = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (code === 0) {
          resolve(printed.stdout);
        } else {
          reject(
            new Error(
              `kubectl ${args.join(' ')} ended with ${signal ?? code ?? 'nothing'}: ${printed.stderr}`,
            ),
          );
        }
      });
      // kubectl may refuse its arguments before it reads anything.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
}
