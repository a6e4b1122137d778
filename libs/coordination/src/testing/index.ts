export { InMemoryLeases } from './in-memory-leases.ts';
