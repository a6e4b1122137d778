import type { ObjectReading, ObjectReference, ObjectsPort } from './objects.port.ts';

/** Objects in memory. */
export class FakeObjects implements ObjectsPort {
  /** What was asked for, in order. */
  readonly reads: ObjectReference[] = [];
  readonly #readings = new Map<string, ObjectReading>();

  /** What reads of an object of this kind and name give from now on. */
  set({ kind, name }: Pick<ObjectReference, 'kind' | 'name'>, reading: ObjectReading): void {
    this.#readings.set(`${kind}/${name}`, reading);
  }

  readObject(reference: ObjectReference): Promise<ObjectReading> {
    this.reads.push(reference);
    const { kind, name } = reference;
    const absent = { error: { message: `${kind} ${name} not found` } };
    return Promise.resolve(this.#readings.get(`${kind}/${name}`) ?? absent);
  }
}
