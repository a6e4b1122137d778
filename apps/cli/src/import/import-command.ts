import { listLiveAutoscalers } from '#adapter-kubernetes';
import { AdapterError, isJsonObject, type Json, type JsonObject, namespacedName } from '#kernel';
import { importDocument } from '#policy';
import { targetKey } from '#repository';
import { UnusableError } from '../repository/unusable-error.ts';
import { writePolicyFile } from './write-policy-file.ts';

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
  const { documents, failures, notes } = await listLiveAutoscalers({
    kubeconfig,
    ...(context !== undefined && { context }),
    ...(namespaces !== undefined && { namespaces }),
  });
  const importer = new Importer(options);
  for (const note of notes) importer.note(note);
  for (const failure of failures) importer.fail(failure);
  for (const live of documents.map(named).sort(byName)) importer.take(live);
  return importer.end();
}

/** A live object and what it is called, whatever the server sent. */
interface NamedObject {
  readonly document: JsonObject;
  readonly key: readonly [namespace: string, name: string, kind: string];
  readonly title: string;
}

function named(document: JsonObject): NamedObject {
  const metadata = isJsonObject(document['metadata']) ? document['metadata'] : {};
  const [namespace, name] = [textOf(metadata['namespace']), textOf(metadata['name'])];
  const kind = textOf(document['kind']);
  return { document, key: [namespace, name, kind], title: `${kind} ${namespace}/${name}` };
}

/** The same order in every run, whatever order the server or the command line has. */
function byName(one: NamedObject, other: NamedObject): number {
  const [left, right] = [one.key.join('\0'), other.key.join('\0')];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

class Importer {
  readonly #options: ImportArguments;
  readonly #names = new Map<string, string>();
  readonly #targets = new Map<string, string>();
  readonly #texts: string[] = [];
  #left = 0;
  #unchanged = 0;

  constructor(options: ImportArguments) {
    this.#options = options;
  }

  note(what: string): void {
    process.stderr.write(`note: ${what}\n`);
  }

  fail(why: string): void {
    this.#left += 1;
    process.stderr.write(`not listed: ${why}\n`);
  }

  leave(why: string): void {
    this.#left += 1;
    process.stderr.write(`not taken: ${why}\n`);
  }

  take({ document, title }: NamedObject): void {
    const imported = importDocument(document);
    if (imported.kind === 'Left') {
      this.leave(`${title}: ${imported.reason}`);
      return;
    }
    const { policy, text, managers } = imported;
    const path = `${namespacedName(policy)}.yaml`;
    const [same, rival] = [this.#names.get(path), this.#targets.get(targetKey(policy))];
    if (same !== undefined) {
      this.leave(`${title}: ${same} has the same name; rename one of them`);
    } else if (rival !== undefined) {
      this.leave(`${title}: ${rival} scales the same ${policy.target.kind}; keep one of them`);
    } else if (this.#write(path, text, title)) {
      this.#names.set(path, title);
      this.#targets.set(targetKey(policy), title);
      for (const manager of managers) this.note(`${title} is written by ${manager}: take it out there`);
    }
  }

  /** Prints the documents where there is no folder, and says how many there are. */
  end(): 0 | 1 {
    if (this.#options.output === undefined) process.stdout.write(this.#texts.join('---\n'));
    const unchanged = this.#unchanged === 0 ? '' : ` (${this.#unchanged} unchanged)`;
    process.stderr.write(`${this.#names.size} taken${unchanged}, ${this.#left} not taken\n`);
    return this.#left === 0 ? 0 : 1;
  }

  #write(path: string, text: string, title: string): boolean {
    const { output, force } = this.#options;
    if (output === undefined) {
      this.#texts.push(text);
      return true;
    }
    const outcome = writePolicyFile({
      folder: output,
      path,
      text,
      mode: force === true ? 'Overwrite' : 'Keep',
    });
    if (outcome === 'Unchanged') this.#unchanged += 1;
    if (outcome !== 'Differs') return true;
    this.leave(`${title}: ${output}/${path} exists and differs (--force overwrites)`);
    return false;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
