export const THEMES = ['system', 'light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

/** The name under which the browser keeps the theme. */
const KEY = 'restwright-console-theme';

/** Finds the theme that was chosen before; the one of the system without a choice, or without storage. */
export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((each) => each === kept) ?? 'system';
  } catch {
    return 'system';
  }
}

/** Shows a theme. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** Shows a theme, now and at the next visit. A browser that keeps nothing shows it now. */
export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Private windows may refuse it.
  }
}
