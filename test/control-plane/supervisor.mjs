// Owns the processes of one control plane, and outlives the test that asked for them by moments only: when its standard
// input closes (the test ended, crashed or was killed) it kills them all and removes their state.
//   node supervisor.mjs STATE_FOLDER
// in:  {"do": "start", "name", "command", "arguments", "log"} | {"do": "stop", "name"}      one JSON object a line
// out: {"event": "exit", "name", "code", "signal"} | {"event": "error", "name", "message"}
import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const stateFolder = process.argv[2];
const running = new Map();
let ending = false;

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => obey(JSON.parse(line)));
lines.once('close', end);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
// The reader may be gone first; that is an end like any other.
process.stdout.on('error', end);

function obey(order) {
  if (order.do === 'start') start(order);
  else running.get(order.name)?.kill('SIGKILL');
}

function start({ name, command, programName, arguments: args, log }) {
  const output = openSync(log, 'a');
  const child = spawn(command, args, {
    cwd: stateFolder,
    stdio: ['ignore', output, output],
    argv0: programName ?? command,
  });
  closeSync(output);
  running.set(name, child);
  child.once('error', ({ message }) => leave(name, { event: 'error', name, message }));
  child.once('exit', (code, signal) => leave(name, { event: 'exit', name, code, signal }));
}

function leave(name, event) {
  running.delete(name);
  if (!ending) process.stdout.write(`${JSON.stringify(event)}\n`);
  else if (running.size === 0) removeStateAndExit();
}

/** Killed, not asked: nothing of theirs is kept, and a kube-apiserver takes its time to say goodbye. */
function end() {
  if (ending) return;
  ending = true;
  for (const child of running.values()) child.kill('SIGKILL');
  if (running.size === 0) removeStateAndExit();
}

function removeStateAndExit() {
  rmSync(stateFolder, { recursive: true, force: true });
  process.exit(0);
}
