import { judgeSequences } from '../proof/sequences.ts';
import { runs } from '../../extent.ts';

judgeSequences({ requests: runs(300, 2_000), length: 60 });
