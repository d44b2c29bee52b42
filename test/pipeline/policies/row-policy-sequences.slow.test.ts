import { isWholeSuite } from '../../extent.ts';
import { judgeSequences } from '../proof/sequences.ts';

judgeSequences({ requests: isWholeSuite ? 100_000 : 15_000, length: 100 });
