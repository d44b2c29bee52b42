import { TOUR_PAGE } from '../scripts/tour.ts';
import { testRequests } from './tour-pages.ts';

testRequests(TOUR_PAGE, 'SQLite, with all cities');
