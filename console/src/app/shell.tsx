import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Loading } from '../ui/notice.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import { Notices } from './notices.tsx';

/** The frame of every view. A new view gets the focus, so that readers begin there. */
export function Shell() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    setMenuOpen(false);
    main.current?.focus();
  }, [pathname]);
  return (
    <>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {texts.skip}
      </a>
      <Header isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <div className="frame" data-menu={isMenuOpen ? 'open' : 'closed'}>
        <Navigation />
        <main ref={main} id="main" tabIndex={-1} className="main">
          <Notices />
          <ErrorBoundary key={pathname}>
            <Suspense fallback={<Loading text={texts.loading} />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
    </>
  );
}
