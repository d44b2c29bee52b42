/**
 * True if npm has the package. Messages, the help, and the sections that `scripts/publication.ts` writes into the pages
 * follow from this. On the day of the publication set it to true and run that script.
 */
export const IS_PUBLISHED: boolean = false;

/** A command line that runs the program, wherever it is typed in a new project. */
export const RUN_COMMAND: string = IS_PUBLISHED ? 'npx restwright' : 'bin/restwright.js';

/** The ways to run the command, for the help. */
export const HOW_TO_RUN: string = IS_PUBLISHED
  ? 'To run it without installation: npx restwright COMMAND'
  : 'In a checkout, run bin/restwright.js. The tarball that `npm run pack` creates\ninstalls the command as node_modules/.bin/restwright.';
