import { judgeSequences } from './proof/sequences.ts';

judgeSequences({ requests: 100_000, length: 100 });
