import { walkClaims } from '../walks/claims.ts';
import { runs } from '../../extent.ts';

walkClaims(runs(1, 5));
