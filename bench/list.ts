import type { Report } from './report.ts'
import type { BenchOptions } from './server.ts'
export async function list(_options: BenchOptions): Promise<Report> {
  return { figures: {}, budgets: [] }
}
