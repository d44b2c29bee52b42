import { walkClaims } from '../walks/claims.ts';

walkClaims(5);
