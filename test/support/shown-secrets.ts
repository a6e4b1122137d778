import { readdirSync, readFileSync } from 'node:fs';

/** Where a process shows what it was started with; absent where there is no procfs. */
const processFolder = '/proc';

/** Whether this machine shows arguments and environments of processes. */
export function showsProcesses(): boolean {
  return textOf(`${processFolder}/self/cmdline`) !== '';
}

/** Which of the secrets stand in the arguments or the environment of any process at this moment, and where. */
export function shownSecrets(secrets: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const name of readdirSync(processFolder)) {
    if (!/^\d+$/.test(name)) continue;
    for (const file of ['cmdline', 'environ']) {
      const text = textOf(`${processFolder}/${name}/${file}`);
      for (const secret of secrets)
        if (text.includes(secret)) found.push(`${file} of ${textOf(`${processFolder}/${name}/comm`).trim()}`);
    }
  }
  return found;
}

/** A process that has ended, or is not ours, shows nothing. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
