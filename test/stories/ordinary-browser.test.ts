// What a page sees in a bot's browser differs from an ordinary browser of the same machine only where a reason is known.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Difference } from '../../src/domain/doctor.ts'
import { type Diagnosis, runDoctor, stateOf } from '../helpers/service/doctor.ts'

const LONG = 240_000

async function differencesIn(BROWSER_MODE: 'headed' | 'headless'): Promise<Diagnosis & { readonly differences: readonly Difference[] }> {
  const found = await runDoctor({ DATA_DIR: join(tmpdir(), 'emissary-no-such-folder'), BROWSER_MODE }, '--browser', '--json')
  expect(found.json?.differences, found.said).toBeInstanceOf(Array)
  return { ...found, differences: found.json.differences }
}

/** Facts that may differ, besides replaced functions. */
const ALLOWED = /^(webdriver|devices|style sheets|window size|screen|sound without a click|WebGL2?|Notification\.permission|permission .+)$/

test.each(['headed', 'headless'] as const)(
  'shows pages an ordinary %s browser but for named differences',
  { timeout: LONG },
  async (mode) => {
    const found = await differencesIn(mode)
    const others = found.differences.filter(({ fact }) => !fact.startsWith('function ') && !ALLOWED.test(fact))
    expect(others).toEqual([])
    expect(found.differences.filter(({ why }) => why === null)).toEqual([])
    expect(stateOf(found, 'view')).toBe('ok')
    // Both say the same of notifications.
    const notifications = found.differences.filter(({ fact }) => /notification/i.test(fact)).map(({ bot }) => bot)
    expect(new Set(notifications)).toEqual(new Set(['denied']))
  },
)
