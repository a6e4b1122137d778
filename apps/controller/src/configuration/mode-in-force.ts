import type { ControllerMode } from '#reconciliation';

/** Whether this process carries out what it decides, as its configuration says now. */
export class ModeInForce {
  #mode: ControllerMode;

  constructor(mode: ControllerMode) {
    this.#mode = mode;
  }

  get mode(): ControllerMode {
    return this.#mode;
  }

  reconfigure({ mode }: { readonly mode: ControllerMode }): void {
    this.#mode = mode;
  }
}
