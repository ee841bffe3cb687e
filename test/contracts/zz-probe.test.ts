import { writeFileSync } from 'node:fs'
import { test } from 'vitest'
import { startTestService } from '../helpers/service.ts'
test('probe', async () => {
  const s = await startTestService()
  const { body } = await s.api('GET', '/api/v1/openapi.json')
  writeFileSync('/tmp/cx/openapi.json', JSON.stringify(body, null, 1))
  const y = await s.api('GET', '/api/v1/openapi.yaml')
  writeFileSync('/tmp/cx/openapi.yaml', String(y.body))
  for (const p of ['/docs', '/docs/']) {
    const d = await s.api('GET', p)
    console.log(p, d.status, Object.fromEntries(d.headers), String(d.body).slice(0, 3000))
  }
  await s.stop()
})
