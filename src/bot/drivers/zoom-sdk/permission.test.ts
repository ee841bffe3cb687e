import { expect, test } from 'vitest'
import { Permission } from './page/permission.ts'
import type { ZoomMtg } from './page/sdk.ts'

type Callbacks = Parameters<ZoomMtg['leaveMeeting']>[0]

/** An SDK with scripted answers, and timers that a test fires. */
function bench() {
  const answers = { capture: 'error' as 'success' | 'error', request: null as string | null }
  const asked: string[] = []
  const said: string[] = []
  const timers: { readonly act: () => void; readonly ms: number }[] = []
  const sdk = {
    mediaCapture({ success, error }: Callbacks) {
      asked.push('capture')
      if (answers.capture === 'success') success?.({})
      else error?.({ errorMessage: 'no local record permission' })
    },
    mediaCapturePermission({ success, error }: Callbacks) {
      asked.push('request')
      if (answers.request === null) success?.({})
      else error?.({ errorMessage: answers.request })
    },
  } as unknown as ZoomMtg
  const permission = new Permission(
    sdk,
    (state) => said.push(state),
    (act, ms) => timers.push({ act, ms }),
  )
  const pass = () => {
    const due = timers.splice(0)
    for (const { act } of due) act()
    return due.map(({ ms }) => ms)
  }
  return { permission, answers, asked, said, pass }
}

test('starts the capture one second after entering and requests permission half a second later', () => {
  const { permission, asked, said, pass } = bench()
  permission.begin()
  expect(asked).toEqual([])
  expect(pass()).toEqual([1_000])
  expect(pass()).toEqual([500])
  expect(asked).toEqual(['capture', 'request'])
  expect(said).toEqual([])
})

test('reports allowed, and stays withdrawn once the host has withdrawn the permission', () => {
  const { permission, answers, said, pass } = bench()
  permission.begin()
  pass()
  pass()
  answers.capture = 'success'
  permission.onChange({ allow: true })
  permission.onStatus({ status: 1 })
  expect(said).toEqual(['allowed'])
  permission.onChange({ allow: false })
  permission.onStatus({ status: 0 })
  permission.onChange({ allow: true })
  expect(said).toEqual(['allowed', 'withdrawn'])
})

test('needs no request if participants may record', () => {
  const { permission, answers, asked, said, pass } = bench()
  answers.capture = 'success'
  permission.begin()
  pass()
  expect([asked, said]).toEqual([['capture'], ['allowed']])
})

test.each([
  ['the host denies the request', null, true],
  ['the host denies all requests', 'host deny all request', false],
])('is denied when %s', (_, request, isAnswered) => {
  const { permission, answers, said, pass } = bench()
  answers.request = request
  permission.begin()
  pass()
  pass()
  if (isAnswered) permission.onChange({ allow: false })
  expect(said).toEqual(['denied'])
})

test('requests again, once, one second after a host joins', () => {
  const { permission, answers, asked, said, pass } = bench()
  answers.request = 'not support grant local record permissin'
  permission.begin()
  pass()
  pass()
  answers.request = null
  permission.onHost()
  permission.onHost()
  expect(pass()).toEqual([1_000])
  permission.onHost()
  expect(pass()).toEqual([])
  expect([asked, said]).toEqual([['capture', 'request', 'request'], []])
})

test('treats a stopped capture as withdrawn, but not a status from before the start', () => {
  const { permission, answers, said, pass } = bench()
  answers.capture = 'success'
  permission.onStatus({ status: 0 })
  permission.begin()
  pass()
  permission.onStatus({ status: 1 })
  permission.onStatus({ status: 0 })
  expect(said).toEqual(['allowed', 'withdrawn'])
})
