import { isWholeSuite } from '../../whole-suite.ts';
import { walkClaims } from '../walks/claims.ts';

walkClaims(isWholeSuite ? 150 : 60);
