import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listLiveAutoscalers } from '#adapter-kubernetes';
import { AdapterError, isJsonObject, type Json } from '#kernel';
import { importDocument, targetKey } from '#policy';
import { UnusableError } from '../repository/unusable-error.ts';

/** What the command line holds. */
export interface ImportArguments {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly allNamespaces?: boolean;
  readonly output?: string;
  readonly force?: boolean;
}

/** Runs `plimsoll import`: 0 everything was taken, 1 something was not, 2 could not run. */
export async function runImport(options: ImportArguments): Promise<void> {
  try {
    if (options.allNamespaces === true && options.namespace !== undefined)
      throw new UnusableError('--namespace and --all-namespaces exclude each other');
    process.exitCode = await importAll(options);
  } catch (error) {
    if (!(error instanceof UnusableError || error instanceof AdapterError)) throw error;
    process.stderr.write(`plimsoll: ${error.message}\n`);
    process.exitCode = 2;
  }
}

async function importAll(options: ImportArguments): Promise<0 | 1> {
  const { kubeconfig, context, namespace } = options;
  const namespaces = options.allNamespaces === true ? ('all' as const) : namespace;
  const { documents, failures } = await listLiveAutoscalers({
    kubeconfig,
    ...(context !== undefined && { context }),
    ...(namespaces !== undefined && { namespaces }),
  });
  const importer = new Importer(options);
  for (const failure of failures) importer.leave(failure);
  for (const document of documents) importer.take(document);
  return importer.end();
}

class Importer {
  readonly #options: ImportArguments;
  readonly #names = new Set<string>();
  readonly #targets = new Map<string, string>();
  readonly #texts: string[] = [];
  #left = 0;

  constructor(options: ImportArguments) {
    this.#options = options;
  }

  leave(why: string): void {
    this.#left += 1;
    process.stderr.write(`not taken: ${why}\n`);
  }

  take(live: Parameters<typeof importDocument>[0]): void {
    const metadata = live['metadata'];
    const { namespace, name } = isJsonObject(metadata) ? metadata : {};
    const title = `${textOf(live['kind'])} ${textOf(namespace)}/${textOf(name)}`;
    const imported = importDocument(live);
    if (imported.is === 'Left') {
      this.leave(`${title}: ${imported.reason}`);
      return;
    }
    const { policy, text } = imported;
    const path = join(policy.namespace, `${policy.name}.yaml`);
    const target = targetKey(policy);
    const other = this.#targets.get(target);
    if (other !== undefined) this.leave(`${title}: ${other} scales the same ${policy.target.kind}`);
    else if (this.#names.has(path)) this.leave(`${title}: another kind has the same name`);
    else if (this.#write(path, text, title)) {
      this.#names.add(path);
      this.#targets.set(target, title);
    }
  }

  /** Prints the documents where there is no folder, and says how many there are. */
  end(): 0 | 1 {
    if (this.#options.output === undefined) process.stdout.write(this.#texts.join('---\n'));
    process.stderr.write(`${this.#names.size} taken, ${this.#left} not taken\n`);
    return this.#left === 0 ? 0 : 1;
  }

  #write(path: string, text: string, title: string): boolean {
    const { output, force } = this.#options;
    if (output === undefined) {
      this.#texts.push(text);
      return true;
    }
    const file = join(output, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { flag: force === true ? 'w' : 'wx' });
      return true;
    } catch (error) {
      if (!isExisting(error)) throw new UnusableError(`${file} cannot be written: ${String(error)}`);
      this.leave(`${title}: ${file} exists (--force overwrites)`);
      return false;
    }
  }
}

function isExisting(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
