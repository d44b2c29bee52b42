import { useState, useSyncExternalStore } from 'react';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { chooseTheme, readTheme, type Theme, THEMES } from './theme.ts';

export interface HeaderProps {
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
}

/** The title of the API, the theme and the caller. */
export function Header({ isMenuOpen, onMenu }: HeaderProps) {
  const { config } = useConnection();
  return (
    <header className="header">
      <Button className="menu-button" aria-expanded={isMenuOpen} aria-controls="navigation" onClick={onMenu}>
        {texts.navigation.menu}
      </Button>
      <a className="brand" href="#/">
        {config.title}
      </a>
      <ThemeChoice />
      <Account />
    </header>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <select
      className="control theme"
      aria-label={texts.theme.label}
      value={theme}
      onChange={({ currentTarget }) => {
        const chosen = THEMES.find((each) => each === currentTarget.value) ?? 'system';
        chooseTheme(chosen);
        setTheme(chosen);
      }}
    >
      {THEMES.map((each) => (
        <option key={each} value={each}>
          {texts.theme[each]}
        </option>
      ))}
    </select>
  );
}

function Account() {
  const { session, schema } = useConnection();
  const { token } = useSyncExternalStore(session.subscribe, session.read);
  if (!schema.hasCallers) return null;
  return (
    <Button look="quiet" onClick={session.signOut}>
      {token === null ? texts.account.signIn : texts.account.signOut}
    </Button>
  );
}
