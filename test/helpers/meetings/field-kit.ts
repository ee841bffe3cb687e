// Field kits in tests: records and replays them by the command, and unpacks everything that is in them.
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, inflateSync } from 'node:zlib'
import { expect, onTestFinished } from 'vitest'
import { type Diagnosis, runDoctor } from '../service/doctor.ts'

export const SECRETS = {
  ann: 'Zofia Quistgaard',
  ben: 'Bartholomäus Wyndham',
  chat: 'the merger with Blomqvist is off',
  caption: 'our password is Hippopotamus77',
}

// biome-ignore lint/suspicious/noExplicitAny: fields are checked one by one in the tests.
export type Kit = { readonly file: string; readonly header: any; readonly steps: readonly any[]; readonly diagnosis: Diagnosis }

export function settingsFor({ flags }: { readonly flags: readonly string[] }): Record<string, string> {
  return { DATA_DIR: join(tmpdir(), 'emissary-no-such-folder'), CHROMIUM_FLAGS: flags.map((flag) => `"${flag}"`).join(' ') }
}

let count = 0

export async function recordKit(settings: Record<string, string>, url: string, ...args: readonly string[]): Promise<Kit> {
  const file = join(tmpdir(), `emissary-kit-${process.pid}-${count++}.jsonl.gz`)
  onTestFinished(() => rmSync(file, { force: true }))
  const diagnosis = await runDoctor(settings, url, file, '--bundle', ...args)
  expect(diagnosis.said, diagnosis.said).toContain(`kept in  ${file}`)
  const [header, ...steps] = gunzipSync(readFileSync(file))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return { file, header, steps, diagnosis }
}

export function replayKit(settings: Record<string, string>, file: string): Promise<Diagnosis> {
  return runDoctor(settings, '--replay', file)
}

/** Everything that is written in the kit: each text, and what is packed or encoded in it. */
function contentOf({ file }: Kit): string {
  const text = gunzipSync(readFileSync(file)).toString()
  return [...new Set([text, ...formsOf(text)])].join('\n').toLowerCase()
}

function formsOf(text: string, depth = 4): readonly string[] {
  if (depth === 0) return []
  const packed = text.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g) ?? []
  const inner = packed.flatMap((it) => readingsOf(Buffer.from(it, 'base64')))
  return [decodedUrl(text), ...inner, ...inner.flatMap((it) => formsOf(it, depth - 1))]
}

function readingsOf(bytes: Buffer): readonly string[] {
  const unpackings = [inflateSync, gunzipSync].flatMap((unpack) => {
    try {
      return [unpack(bytes)]
    } catch {
      // It is not packed this way.
      return []
    }
  })
  return [bytes, ...unpackings].flatMap((it) => {
    const even = it.subarray(0, it.length - (it.length % 2))
    return [it.toString('utf8'), it.toString('utf16le'), Buffer.from(even).swap16().toString('utf16le')]
  })
}

function decodedUrl(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      // It is not UTF-8.
      return encoded
    }
  })
}

/** Fails with the secret, and with what is around it. */
export function expectNone(kit: Kit, secrets: readonly string[]): void {
  const content = contentOf(kit)
  for (const secret of secrets) {
    const at = content.indexOf(secret.toLowerCase())
    expect(at < 0 ? '' : content.slice(Math.max(0, at - 150), at + 150), `“${secret}” is in the kit`).toBe('')
  }
}

export async function expectSameReplay(settings: Record<string, string>, { file }: Kit): Promise<string> {
  const { said, status } = await replayKit(settings, file)
  expect(
    said.split('\n').filter((line) => /DIFFERS|Cannot|cannot/.test(line)),
    said,
  ).toEqual([])
  expect(status, said).toBe(0)
  return said
}
