/** A place of a caller, and what it is taken for. */
interface HeldPlace {
  users: number;
  readonly giveBack: () => void;
}

const places = new WeakMap<object, HeldPlace>();

/** Holds a caller's place for a request, until the function is called and all that works for it has ended. */
export function holdPlace(request: object, giveBack: () => void): () => void {
  const place: HeldPlace = { users: 1, giveBack };
  places.set(request, place);
  return () => release(place);
}

/**
 * Keeps the place of a request while something works for it. An answer that came too late, or whose reader left, ends
 * neither: the same caller would have any amount of work under way.
 */
export function keepPlaceDuring(request: object, work: Promise<unknown>): void {
  const place = places.get(request);
  if (place === undefined || place.users === 0) return;
  place.users += 1;
  const end = (): void => release(place);
  work.then(end, end);
}

function release(place: HeldPlace): void {
  place.users -= 1;
  if (place.users === 0) place.giveBack();
}
