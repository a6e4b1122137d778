import { spawn } from 'node:child_process';

/** Thrown where there is no Go to build with. */
export class GoMissingError extends Error {}

/** Settings of the user's that would break a build of modules outside the repository's own workspace. */
const ENVIRONMENT = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '' };

/** Runs the go command and returns what it printed; its progress and errors go to our stderr. */
export async function go(args, { cwd }) {
  const child = spawn('go', args, {
    cwd,
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A Go build outlives its parent otherwise, and goes on using every core.
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  try {
    return await output(child, args);
  } finally {
    process.removeListener('exit', stop);
  }
}

function output(child, args) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    child.once('error', (error) =>
      reject(error.code === 'ENOENT' ? new GoMissingError('the go command is not on PATH') : error),
    );
    child.once('close', (code, signal) =>
      code === 0 ? resolve(text) : reject(new Error(`go ${args[0]} ended with ${signal ?? code}`)),
    );
  });
}
