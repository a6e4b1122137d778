import { links } from './links.ts';

const key = 'plimsoll.return';

/** Before one leaves for the OpenID provider, which leads back to `/`. Where the browser keeps nothing, it stays there. */
export function keepReturnAddress(): void {
  const { pathname, search, hash } = location;
  try {
    sessionStorage.setItem(key, `${pathname}${search}${hash}`);
  } catch {
    // Storage is full or forbidden.
  }
}

/** Shows the address that was left for the provider, once; only where one comes back to. */
export function restoreAddress(): void {
  if (location.pathname !== '/' || location.search !== '') return;
  try {
    const address = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    // A path of our own, and no address of another server (`//`).
    if (address === null || !/^\/(?!\/)/.test(address)) return;
    // A page of its own, which this one cannot show.
    if (address === links.graphiql) location.replace(address);
    else history.replaceState(null, '', address);
  } catch {
    // Storage is forbidden.
  }
}
