import { type ReactElement, Suspense, useEffect, useRef, useState } from 'react';
import {
  Link,
  NavLink,
  Route,
  Routes,
  useLocation,
  useNavigate,
  useParams,
  useSearchParams,
} from 'react-router';
import { liveness } from '../api/client.ts';
import { clockOffset } from '../api/server-time.ts';
import { type Caller, signOut } from '../api/session.ts';
import { isApple } from '../components/screen/apple.ts';
import { useMedia } from '../components/screen/use-media.ts';
import { EmptyState } from '../components/states/empty-state.tsx';
import { lazyPart } from '../components/states/lazy-part.tsx';
import { Mark } from '../components/states/mark.tsx';
import { durationText } from '../components/time/duration.ts';
import { common } from '../messages/common.ts';
import { links } from '../navigation/links.ts';
import { contentId, keepFocus } from '../navigation/page-focus.ts';
import { closeOverPage, overPage } from '../state/over-page.ts';
import { nextTheme, theme, timeZone } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { ControllerModeNote } from './controller-mode-note.tsx';
import { DatabaseNote } from './database-note.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { focusSearch, moveInList } from './list-keys.ts';
import { type Page, pages } from './pages.tsx';
import { PaletteOpening, preloadPalette } from './palette-opening.tsx';
import { useShortcuts } from './shortcuts.ts';

const Help = lazyPart(() => import('./help-dialog.tsx'));
const AccountDialog = lazyPart(() => import('./account-dialog.tsx'));

/** What is over the page. */
type Over = 'palette' | 'help' | 'account';

interface Opened {
  readonly over: Over;
  /** Of the address that it was opened at. */
  readonly path: string;
}

/** Until then the first view has what it needs. */
const preloadMilliseconds = 2_000;

/** What surrounds every page: navigation, keys, and what is over the page. */
export function Shell({ caller }: { readonly caller: Caller }): ReactElement {
  const [opened, setOpened] = useState<Opened | undefined>();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const isWallScreen = useSearchParams()[0].has('tv');
  useEffect(() => {
    const timer = setTimeout(preloadPalette, preloadMilliseconds);
    return () => clearTimeout(timer);
  }, []);
  // What is over a page, or could not be loaded to be, is not over the next one. The address changes as soon as somebody goes
  // on, and the page when it is loaded: what is opened between the two is for the next.
  useEffect(() => () => setOpened((now) => (now?.path === location.pathname ? now : undefined)), [pathname]);
  // Not of the first page: its first Tab leads to the link past the header.
  useEffect(() => keepFocus, [pathname]);
  const open = (over: Over): void => setOpened({ over, path: location.pathname });
  const close = (): void => setOpened(undefined);
  const go = (path: string) => (): void => void navigate(path);
  useShortcuts({
    'g f': go(links.fleet),
    'g i': go(links.interventions),
    'g s': go(links.sources),
    'g a': go(links.audit),
    'g r': go(links.reports),
    'g p': go(links.playground),
    'g c': go(links.controller),
    'mod k': () => open('palette'),
    '?': () => open('help'),
    '/': () => (focusSearch() ? undefined : open('palette')),
    j: () => moveInList(1),
    k: () => moveInList(-1),
  });
  return (
    <div className="shell" data-tv={isWallScreen}>
      <a className="skip" href={`#${contentId}`}>
        {common.skip}
      </a>
      {isWallScreen ? null : <Header caller={caller} onOpen={open} />}
      <ClockNote />
      <DatabaseNote />
      {isWallScreen ? null : <ControllerModeNote />}
      {opened?.over === 'palette' ? <PaletteOpening onClose={close} /> : null}
      <Suspense>
        {opened?.over === 'help' ? <Help onClose={close} /> : null}
        {opened?.over === 'account' ? <AccountDialog name={caller.name} onClose={close} /> : null}
      </Suspense>
      <main id={contentId} tabIndex={-1}>
        <ErrorBoundary key={pathname}>
          <Suspense fallback={<div className="skeleton" role="status" aria-label={common.loading} />}>
            <Routes>
              {pages.map((page) => (
                <Route key={page.path} path={page.path} element={<Titled page={page} />} />
              ))}
              <Route path="/login" element={<Home />} />
              <Route path="*" element={<Missing />} />
            </Routes>
            <OverPage />
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

function OverPage(): ReactElement | null {
  // A layout effect would end with each wait for a part of the page that is loaded later, and take what was typed with it.
  useEffect(() => closeOverPage, []);
  const dialog = useStore(overPage) ?? null;
  const isOpen = dialog !== null;
  useEffect(() => {
    if (!isOpen) return undefined;
    // In a frame after the one in which the dialog gives the focus back to what it was opened from.
    return () => void requestAnimationFrame(keepFocus);
  }, [isOpen]);
  return dialog;
}

/** A page, which names the tab that it is in. */
function Titled({ page: { component: Component, title } }: { readonly page: Page }): ReactElement {
  useTitle(title(useParams()));
  return <Component />;
}

/** Of an address that names none of the pages. */
function Missing(): ReactElement {
  useTitle(common.missing.title);
  return (
    <EmptyState isPage title={common.missing.title}>
      {common.missing.text}
      <Link to={links.fleet}>{common.missing.fleet}</Link>
    </EmptyState>
  );
}

function useTitle(text: string): void {
  useEffect(() => {
    document.title = `${text} · ${common.product}`;
  }, [text]);
}

const navigation = [
  { to: links.fleet, title: common.pages.fleet },
  { to: links.interventions, title: common.pages.interventions },
  { to: links.sources, title: common.pages.sources },
  { to: links.audit, title: common.pages.audit },
  { to: links.reports, title: common.pages.reports },
  { to: links.playground, title: common.pages.playground },
  { to: links.controller, title: common.pages.controller },
];

function Header({ caller, onOpen }: HeaderProps): ReactElement {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    // On a telephone not all of them are seen at once.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return (
    <header className="header">
      <NavLink to={links.fleet} className="brand">
        <Mark />
        <span>{common.product}</span>
      </NavLink>
      <nav ref={nav} aria-label={common.navigation}>
        {navigation.map(({ to, title }) => (
          <NavLink key={to} to={to} end={to === links.fleet}>
            {title}
          </NavLink>
        ))}
      </nav>
      <span className="spring" />
      <Live />
      <button
        type="button"
        className="palette-button"
        title={common.palette.open}
        onClick={() => onOpen('palette')}
      >
        <span className="palette-word">{common.palette.open}</span>
        <kbd>{common.palette.key[isApple() ? 'apple' : 'other']}</kbd>
      </button>
      <Switches />
      <button
        type="button"
        className="icon-button"
        aria-label={common.help}
        title={common.help}
        onClick={() => onOpen('help')}
      >
        ?
      </button>
      <Account name={caller.name} onOpen={() => onOpen('account')} />
    </header>
  );
}

/** Where there is no room to say that it signs out, it asks first. */
function Account({ name, onOpen }: { readonly name: string; readonly onOpen: () => void }): ReactElement {
  const isSaid = !useMedia('(max-width: 1180px)');
  return (
    <button
      type="button"
      className="account"
      title={common.account(name)}
      aria-haspopup={isSaid ? undefined : 'dialog'}
      onClick={isSaid ? () => void signOut() : onOpen}
    >
      <span className="account-name">{name}</span>
      {isSaid ? <span className="quiet">{common.signOut}</span> : null}
    </button>
  );
}

interface HeaderProps {
  readonly caller: Caller;
  readonly onOpen: (what: Over) => void;
}

const themeSigns = { system: '◐', light: '○', dark: '●' } as const;

function Switches(): ReactElement {
  const chosenTheme = useStore(theme);
  const zone = useStore(timeZone);
  return (
    <>
      <button
        type="button"
        className="icon-button zone"
        title={common.zone[zone]}
        aria-label={common.zone[zone]}
        onClick={() => timeZone.set(zone === 'utc' ? 'local' : 'utc')}
      >
        {common.zoneWords[zone]}
      </button>
      <button
        type="button"
        className="icon-button"
        title={common.theme[chosenTheme]}
        aria-label={common.theme[chosenTheme]}
        onClick={() => theme.set(nextTheme(chosenTheme))}
      >
        {themeSigns[chosenTheme]}
      </button>
    </>
  );
}

/** Whether events come as they happen; nothing is said where no page asks for any. */
function Live(): ReactElement | null {
  const state = useStore(liveness);
  if (state === 'Idle') return null;
  return (
    <span className="live" data-state={state} role="status" title={common.aboutLive[state]}>
      {common.live[state]}
    </span>
  );
}

function ClockNote(): ReactElement | null {
  const minutes = Math.round(useStore(clockOffset) / 60_000);
  if (minutes === 0) return null;
  const duration = durationText(Math.abs(minutes) * 60_000);
  return (
    <p className="notice">{minutes > 0 ? common.clock.behind(duration) : common.clock.ahead(duration)}</p>
  );
}

/** Who is signed in has no use for the sign-in. */
function Home(): null {
  const navigate = useNavigate();
  queueMicrotask(() => void navigate(links.fleet, { replace: true }));
  return null;
}
