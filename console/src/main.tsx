import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { SignInGate } from './app/sign-in-gate.tsx';
import { readTheme, showTheme } from './app/theme.ts';
import { Session } from './session/session.ts';
import './styles/console.css';
import { texts } from './texts.ts';
import { ToastProvider } from './ui/toast.tsx';

showTheme(readTheme());
const place = document.querySelector('#console');
if (place === null) throw new Error('the page has no place for the console');

// The client repeats what is safe to repeat.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });

createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <ToastProvider closeLabel={texts.close}>
          <SignInGate session={new Session()}>
            <RouterProvider router={router} />
          </SignInGate>
        </ToastProvider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
