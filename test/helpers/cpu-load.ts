// Keeps every CPU busy, for tests of what a slow machine does to media.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** The time limit holds also if a test fails to stop the load. */
const CODE = `const { workerData } = require('node:worker_threads'); while (Date.now() < workerData) Math.random()`

/** Returns the function that ends the load. */
export function loadCpus(mostMs: number): () => Promise<unknown> {
  const workers = Array.from({ length: availableParallelism() }, () => new Worker(CODE, { eval: true, workerData: Date.now() + mostMs }))
  return () => Promise.all(workers.map((it) => it.terminate()))
}
