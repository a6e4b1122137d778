/**
 * A whole number that JSON text spells otherwise (`1.0`, `1e2`): a quantity takes it, an integer of Kubernetes' own
 * JSON does not.
 */
export class SpelledNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
