export { model as default } from '../versioned.ts';
