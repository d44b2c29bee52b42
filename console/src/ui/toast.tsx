import { Toast as Base } from '@base-ui/react/toast';
import type { ReactNode } from 'react';

/** Keeps the messages of the page. */
export function ToastProvider({ closeLabel, children }: { readonly closeLabel: string; readonly children: ReactNode }) {
  return (
    <Base.Provider>
      {children}
      <Base.Portal>
        <Base.Viewport className="toasts">
          <ToastList closeLabel={closeLabel} />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function ToastList({ closeLabel }: { readonly closeLabel: string }) {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root key={toast.id} toast={toast} className={`toast ${toast.type ?? ''}`}>
      <Base.Content>
        <Base.Title />
        <Base.Description className="hint" />
        <Base.Close className="button quiet">{closeLabel}</Base.Close>
      </Base.Content>
    </Base.Root>
  ));
}

/** Shows a message that is also announced. */
export function useToast(): (title: string, type?: 'success' | 'error') => void {
  const { add } = Base.useToastManager();
  return (title, type = 'success') => {
    add({ title, type, priority: type === 'error' ? 'high' : 'low' });
  };
}
