import { describeVersionLaws } from './version-laws.ts';

describeVersionLaws(3);
