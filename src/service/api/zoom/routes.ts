// GET /zoom/zak-token and /zoom/obf-token: retired, answer 410.
import { ServiceError } from '../../../domain/errors.ts'
import type { Api } from '../deps.ts'
import { problems } from '../schema.ts'

export function retiredRoutes(app: Api): void {
  for (const token of ['zak', 'obf']) {
    const schema = {
      summary: `Retired: hosted ${token.toUpperCase()} tokens`,
      operationId: `get${token === 'zak' ? 'Zak' : 'Obf'}Token`,
      deprecated: true,
      tags: ['Account'],
      response: problems('retired'),
    }
    app.get(`/zoom/${token}-token`, { schema }, async () => {
      throw new ServiceError('retired')
    })
  }
}
