// GET /zoom/zak-token and /zoom/obf-token: retired. An earlier service of this API hosted Zoom tokens.
import { ServiceError } from '../../../domain/errors.ts'
import type { Api } from '../deps.ts'
import { operationsOf, problems } from '../schema.ts'

const operation = operationsOf('Account')

export function retiredZoomTokenRoutes(app: Api): void {
  for (const token of ['zak', 'obf']) {
    const schema = operation(`get${token === 'zak' ? 'Zak' : 'Obf'}Token`, `Retired: hosted ${token.toUpperCase()} tokens`, {
      deprecated: true,
      response: problems('retired'),
    })
    app.get(`/zoom/${token}-token`, { schema }, async () => {
      throw new ServiceError('retired')
    })
  }
}
