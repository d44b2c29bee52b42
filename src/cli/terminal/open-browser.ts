import { spawn } from 'node:child_process';

/** A program and its arguments. No shell is involved: a URL may contain characters that one would interpret. */
type CommandLine = readonly [program: string, ...args: string[]];

/**
 * The command that opens a URL in the browser of the user. `start` of Windows is a command of its shell and does what
 * this DLL does.
 *
 * @param platform as in `process.platform`
 */
export function browserCommand(platform: string, url: string): CommandLine {
  if (platform === 'darwin') return ['open', url];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', url] : ['xdg-open', url];
}

/**
 * Opens a URL in the browser, which outlives this process.
 *
 * @param onFailure receives the reason where no browser was opened
 */
export function openBrowser([program, ...args]: CommandLine, onFailure: (reason: string) => void): void {
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', (error) => {
    onFailure('code' in error && error.code === 'ENOENT' ? `${program} is not installed` : error.message);
  });
  child.on('exit', (code) => {
    if (code !== null && code !== 0) onFailure(`${program} exited with code ${code}`);
  });
  child.unref();
}
