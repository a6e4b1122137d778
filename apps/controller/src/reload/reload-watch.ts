import type { ConfigurationChanges } from '../configuration/configuration.module.ts';
import type { ConfigurationReload } from './configuration-reload.ts';
import { FileWatch } from './file-watch.ts';

/** Has the configuration looked at when its file changes, and when that is asked for. */
export class ReloadWatch {
  readonly #changes: ConfigurationChanges | null;
  readonly #watch: FileWatch;
  #unsubscribe: () => void = () => undefined;

  constructor(changes: ConfigurationChanges | null, reload: Pick<ConfigurationReload, 'reload'>) {
    this.#changes = changes;
    this.#watch = new FileWatch({ file: changes?.file, look: reload.reload });
  }

  start(): void {
    if (this.#changes === null) return;
    this.#watch.start();
    this.#unsubscribe = this.#changes.onRequest(() => this.#watch.request());
  }

  /** Waits for a look under way. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#watch.stop();
  }
}
