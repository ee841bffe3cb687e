// A TypeScript client, generated from the OpenAPI document by a public generator, compiles and works.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WEB_CLIENT, writeWebClient } from '../../scripts/web-client.ts'
import { type Description, operationsOf, readDocument } from '../helpers/openapi.ts'
import { API_KEY, startTestService, type TestService } from '../helpers/service.ts'

const run = promisify(execFile)
const TYPESCRIPT = createRequire(import.meta.url).resolve('typescript/bin/tsc')

/** Strict compiler options. */
const OPTIONS = {
  compilerOptions: {
    ...{ target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom', 'dom.iterable'], types: [], noEmit: true },
    ...{ strict: true, noUncheckedIndexedAccess: true, allowImportingTsExtensions: true, verbatimModuleSyntax: true },
  },
  include: ['*.ts'],
}

let service: TestService
let document: Description
let folder: string

beforeAll(async () => {
  service = await startTestService()
  document = await readDocument(service.api)
  folder = await mkdtemp(join(tmpdir(), 'emissary-client-'))
  await cp('test/client', folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS))
  await createClient({
    input: structuredClone(document) as object as Record<string, unknown>,
    output: { path: join(folder, 'generated'), module: { extension: '.ts' } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent', file: false },
  })
}, 120_000)
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document) as object as Record<string, unknown>)).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('the dashboard’s client is up to date with the document', async () => {
  const made = join(folder, 'dashboard')
  await writeWebClient(structuredClone(document) as object as Parameters<typeof writeWebClient>[0], made)
  for (const file of ['sdk.gen.ts', 'types.gen.ts'])
    expect(await readFile(join(made, file), 'utf8'), 'Run: node scripts/web-client.ts <address of a running service>').toBe(
      await readFile(join(WEB_CLIENT, file), 'utf8'),
    )
})

test('test/client uses every published operation and no other', async () => {
  const program = await readFile('test/client/every-operation.ts', 'utf8')
  const used = new Set([...program.matchAll(/\bapi\.(\w+)\(/g)].map(([, name]) => name))
  expect([...used].sort()).toEqual(
    operationsOf(document)
      .map(({ operationId }) => operationId)
      .sort(),
  )
})

test('test/client compiles with the generated client', { timeout: 240_000 }, async () => {
  const { stdout } = await run(process.execPath, [TYPESCRIPT, '-p', folder]).catch(({ stdout }) => ({ stdout }))
  expect(stdout).toBe('')
})

test('the generated client works against a running service', { timeout: 60_000 }, async () => {
  const program = `
    import { tell } from ${JSON.stringify(pathToFileURL(join(folder, 'story.ts')).href)}
    console.log(JSON.stringify(await tell(${JSON.stringify(service.url)}, ${JSON.stringify(API_KEY)})))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program])
  expect(JSON.parse(stdout)).toEqual({
    created: 'Scheduled',
    state: 'Scheduled',
    names: ['Emissary', 'Emissary'],
    refusal: 'Bot not found',
    rooms: expect.stringMatching(/^200 http.*\/room\/stand-up-/),
  })
})
