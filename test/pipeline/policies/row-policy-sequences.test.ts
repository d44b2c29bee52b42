import { judgeSequences } from '../proof/sequences.ts';

judgeSequences({ requests: 2_000, length: 60 });
