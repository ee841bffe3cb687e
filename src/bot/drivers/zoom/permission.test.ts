import { expect, test } from 'vitest'
import { Permission } from './page/permission.ts'
import type { ZoomMtg } from './page/sdk.ts'

type Callbacks = Parameters<ZoomMtg['leaveMeeting']>[0]

/** An SDK that answers as it is told, and timers that run when they are told. */
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

test('tries first, one second after it has come in, and asks the host half a second later', () => {
  const { permission, asked, said, pass } = bench()
  permission.begin()
  expect(asked).toEqual([])
  expect(pass()).toEqual([1_000])
  expect(pass()).toEqual([500])
  expect(asked).toEqual(['capture', 'request'])
  expect(said).toEqual([])
})

test('starts when the host allows it, and stops for good when it is withdrawn', () => {
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

test('needs no answer where participants may record', () => {
  const { permission, answers, asked, said, pass } = bench()
  answers.capture = 'success'
  permission.begin()
  pass()
  expect([asked, said]).toEqual([['capture'], ['allowed']])
})

test.each([
  ['the host says no', null, true],
  ['the host turns every request down', 'host deny all request', false],
])('is denied when %s', (_, request, isAnswered) => {
  const { permission, answers, said, pass } = bench()
  answers.request = request
  permission.begin()
  pass()
  pass()
  if (isAnswered) permission.onChange({ allow: false })
  expect(said).toEqual(['denied'])
})

test('asks again one second after a host appears, and once only', () => {
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

test('takes a recording that the meeting stops for a withdrawal, but not a status from before it began', () => {
  const { permission, answers, said, pass } = bench()
  answers.capture = 'success'
  permission.onStatus({ status: 0 })
  permission.begin()
  pass()
  permission.onStatus({ status: 1 })
  permission.onStatus({ status: 0 })
  expect(said).toEqual(['allowed', 'withdrawn'])
})
