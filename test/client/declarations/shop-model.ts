export { model as default } from '../shop.ts';
