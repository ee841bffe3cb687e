// Child processes that succeed, fail, hang or outlive their parent.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../test/helpers/until.ts'
import { ProcessFailed, type ProcessOrder, runProcess, streamProcess } from './process.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'process-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (program: string, args: readonly string[], more: Partial<ProcessOrder> = {}) =>
  runProcess({ program, args, limitMs: 10_000, ...more })
const shell = (script: string, more: Partial<ProcessOrder> = {}) => run('sh', ['-c', script], more)

async function* bytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('passes arguments unchanged, without a shell', async () => {
  expect(String(await run('printf', ['%s|', 'a b', '$HOME', '; exit 3']))).toBe('a b|$HOME|; exit 3|')
})

test('runs with the given niceness', async () => {
  expect(String(await run('nice', [], { nice: 7 })).trim()).toBe('7')
})

test('feeds input, and succeeds when the program reads none of it', async () => {
  expect(String(await run('cat', [], { input: bytes('one ', 'two') }))).toBe('one two')
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.alloc(65_536)
  }
  expect(String(await run('head', ['-c', '3'], { input: endless() }))).toHaveLength(3)
})

test('rejects with the end of stderr when the program fails', async () => {
  await expect(shell('seq 1 20000 >&2; echo the end >&2; exit 4')).rejects.toThrow(/^sh: ended with 4: [\s\S]*the end$/)
  await expect(shell('seq 1 20000 >&2; exit 4')).rejects.toSatisfy(({ message }: Error) => message.length < 9_000)
})

test('rejects when the program does not exist', async () => {
  const failure = await run('no-such-program', []).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ProcessFailed)
  expect(failure).toMatchObject({ isNotInstalled: true, complaint: expect.stringContaining('no-such-program') })
})

test('rejects when no program can be started', async () => {
  await expect(run('true', [], { env: { PATH: folder } })).rejects.toThrow(/ENOENT/)
})

test('starts in the given folder with the given environment only', async () => {
  expect(String(await shell('pwd; echo "$ONLY$HOME"', { cwd: '/', env: { PATH: '/usr/bin:/bin', ONLY: 'this' } }))).toBe('/\nthis\n')
})

test('yields output before the program ends, and kills it when the consumer stops reading', async () => {
  let pid = 0
  for await (const part of streamProcess({ program: 'sh', args: ['-c', 'echo $$; sleep 60'], limitMs: 10_000 })) {
    pid = Number(part)
    expect(isAlive(pid)).toBe(true)
    break
  }
  expect(isAlive(pid)).toBe(false)
})

test('kills a program and its children after the time limit', async () => {
  const pidFile = path.join(folder, 'late')
  await expect(shell(`sleep 60 & echo $! > ${pidFile}; wait`, { limitMs: 300 })).rejects.toThrow('sh: took longer than 300 ms')
  const pid = Number(readFileSync(pidFile, 'utf8'))
  await until('the grandchild is gone', () => !isAlive(pid))
})

test('kills the program on abort and rejects with the reason, also when aborted before', async () => {
  const stopping = new AbortController()
  const running = shell('sleep 60', { signal: stopping.signal })
  stopping.abort(new Error('no longer wanted'))
  await expect(running).rejects.toThrow('no longer wanted')
  await expect(shell('true', { signal: stopping.signal })).rejects.toThrow('no longer wanted')
})

test('rejects with the first cause', async () => {
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x')
    throw new Error('the source broke')
  }
  await expect(run('cat', [], { input: broken() })).rejects.toThrow('the source broke')
})

test('kills a program that prints too much', async () => {
  await expect(run('yes', [], { mostOutputBytes: 1_000 })).rejects.toThrow('yes: printed more than 1000 bytes')
})

test('kills the program when its parent is killed', async () => {
  const pidFile = path.join(folder, 'orphan')
  const module = new URL('process.ts', import.meta.url).href
  const script = `(await import('${module}')).runProcess({ program: 'sh', args: ['-c', 'echo $$ > ${pidFile}; sleep 60'], limitMs: 60000 }).catch(() => 0)`
  const stopping = new AbortController()
  const parent = run(process.execPath, ['--input-type=module', '-e', script], { signal: stopping.signal }).catch(() => undefined)
  const pid = await until('the grandchild runs', () => Number(readFileSync(pidFile, 'utf8')))
  stopping.abort()
  await parent
  await until('the grandchild is gone', () => !isAlive(pid))
})
