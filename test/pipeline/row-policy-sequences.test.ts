import { judgeSequences } from './proof/sequences.ts';

judgeSequences({ requests: 4_000, length: 60 });
