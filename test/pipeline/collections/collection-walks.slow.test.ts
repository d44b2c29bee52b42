import { isWholeSuite } from '../../extent.ts';
import { walkClaims } from '../walks/claims.ts';

walkClaims(isWholeSuite ? 150 : 40);
