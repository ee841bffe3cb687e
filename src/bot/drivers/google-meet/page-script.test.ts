// The bundled page code: a classic script without imports.
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { clientScript } from '../web-client/page-script.ts'
import { googleMeet } from './client.ts'

test('bundles a complete script that leaves no globals outside the page', () => {
  const script = clientScript({ global: 'look', binding: 'tell' }, googleMeet)
  expect(script).not.toMatch(/^\s*(import|export)\s/m)
  expect(() => new vm.Script(script)).not.toThrow()
  const top = {}
  const frame = { top }
  vm.runInNewContext(script, { window: frame })
  expect(Object.keys(frame)).toEqual(['top'])
  const page: Record<string, unknown> = Object.create({ addEventListener: () => undefined })
  page.top = page
  vm.runInNewContext(script, { window: page })
  expect(Object.isFrozen(page.look)).toBe(true)
  expect(Object.keys(page)).toEqual(['top'])
})
