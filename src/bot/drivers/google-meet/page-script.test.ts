// The bundled page code: a classic script without imports.
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { clientScript } from '../browser-meeting/page-script.ts'
import { googleMeet } from './client.ts'

test('bundles a complete script that leaves no globals outside the page', () => {
  const script = clientScript({ observers: 'look', reports: 'tell' }, googleMeet)
  expect(script).not.toMatch(/^\s*(import|export)\s/m)
  expect(() => new vm.Script(script)).not.toThrow()
  const listening: string[] = []
  const performance = { addEventListener: (name: string) => listening.push(name), dispatchEvent: () => true }
  const globals = { performance, CustomEvent }
  const frame = { top: {} }
  vm.runInNewContext(script, { window: frame, ...globals })
  expect(Object.keys(frame)).toEqual(['top'])
  expect(listening, 'another frame is not the meeting').toEqual([])
  const page: Record<string, unknown> = Object.create({ addEventListener: () => undefined })
  page.top = page
  vm.runInNewContext(script, { window: page, ...globals })
  expect(listening).toEqual(['look'])
  expect(Reflect.ownKeys(page)).toEqual(['top'])
})
