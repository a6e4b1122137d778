export { ParserPool, type ParserPoolSettings } from './parser-pool.ts';
