import { describeVersionLaws } from '../support/version-laws.ts';

describeVersionLaws(60);
