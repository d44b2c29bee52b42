// `npm run pictures`: the pictures of the README and the guides, from what this checkout does. Chromium takes those of
// pages.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../command.ts';
import { takeConsolePictures } from './console-pictures.ts';
import { drawTerminal } from './draw-terminal.ts';
import { takePagePictures } from './page-pictures.ts';
import { recordTerminal } from './record-terminal.ts';

/** The terminal of the README, and the same where motion is reduced. */
export const TERMINAL_PICTURES = {
  animated: 'docs/guides/terminal.svg',
  still: 'docs/guides/terminal-still.svg',
} as const;

if (import.meta.main) {
  const steps = await recordTerminal();
  for (const motion of ['animated', 'still'] as const)
    writeFileSync(path.join(root, TERMINAL_PICTURES[motion]), drawTerminal(steps, motion));
  await takePagePictures(root);
  await takeConsolePictures(root);
}
