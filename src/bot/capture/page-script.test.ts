import vm from 'node:vm'
import { expect, test } from 'vitest'
import { pageScript } from './page-script.ts'

const CONFIG = {
  url: 'ws://127.0.0.1:1',
  token: '</script>"\u2028',
  batchMs: 20,
  video: true,
  encoded: true,
  fallbackAfterMs: 3_000,
  wrapWorkers: true,
  silent: true,
}

test('bundles the script, its worker, its relay and its prelude without imports', () => {
  const script = pageScript(CONFIG)
  expect(script).not.toMatch(/^\s*(import|export)\s/m)
  expect(() => new vm.Script(script)).not.toThrow()
  const seen: string[] = []
  // The arguments of the script's first call contain the texts of its workers.
  const [given = ''] = /(?<=return page\.startTap\}\)\(\)\()[\s\S]*(?=\)$)/.exec(script) ?? []
  seen.push(...Object.values<string>(JSON.parse(`[${given}]`)[1]))
  expect(seen).toHaveLength(3)
  for (const text of seen) {
    expect(text).not.toMatch(/^\s*(import|export)\s/m)
    expect(() => new vm.Script(text)).not.toThrow()
  }
})

test('does nothing in a page without WebRTC', () => {
  const window = { CSSStyleSheet: class {} }
  vm.runInNewContext(pageScript(CONFIG), { window, ...window })
  expect(Object.keys(window)).toEqual(['CSSStyleSheet'])
})
