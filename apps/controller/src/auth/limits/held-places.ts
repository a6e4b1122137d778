/** A place of a caller, and what it is taken for. */
interface HeldPlace {
  users: number;
  readonly giveBack: () => void;
}

/** Where a request keeps its caller's place; no `WeakMap`, for the reason that `caller-again.ts` gives. */
const heldPlace = Symbol('heldPlace');

type PlacedRequest = object & { [heldPlace]?: HeldPlace };

/** Holds a caller's place for a request, until the function is called and all that works for it has ended. */
export function holdPlace(request: PlacedRequest, giveBack: () => void): () => void {
  const place: HeldPlace = { users: 1, giveBack };
  request[heldPlace] = place;
  return () => release(place);
}

/**
 * Keeps the place of a request while something works for it. An answer that came too late, or whose reader left, ends
 * neither: the same caller would have any amount of work under way.
 */
export function keepPlaceDuring(request: PlacedRequest, work: Promise<unknown>): void {
  const place = request[heldPlace];
  if (place === undefined || place.users === 0) return;
  place.users += 1;
  const end = (): void => release(place);
  work.then(end, end);
}

function release(place: HeldPlace): void {
  place.users -= 1;
  if (place.users === 0) place.giveBack();
}
