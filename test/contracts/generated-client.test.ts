// A TypeScript client, generated from the OpenAPI document by a public generator, compiles and works.
import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, expect, test } from 'vitest'
import { DOCUMENTS, type Document, WEB_CLIENT, writeWebClient } from '../../scripts/web-client.ts'
import { folderForFile } from '../helpers/for-file.ts'
import { type Description, operationsOf, readDocument } from '../helpers/requests/openapi.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { API_KEY } from '../helpers/service/service.ts'

const run = promisify(execFile)
const TYPESCRIPT = createRequire(import.meta.url).resolve('typescript/bin/tsc')

/** Strict compiler options. */
const OPTIONS = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
  },
  include: ['*.ts'],
}

const folder = folderForFile('emissary-client-')
const service = serviceForFile({ DASHBOARD: 'on' })
let document: Description

beforeAll(async () => {
  document = await readDocument(service.api)
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

test.each(DOCUMENTS)('publishes valid OpenAPI 3.1 at %s', async (path) => {
  const validator = new Validator()
  expect(await validator.validate((await service.api('GET', path)).body as object as Record<string, unknown>)).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('describes the dashboard’s own operations only in its own document', async () => {
  const { body } = await service.api('GET', '/dashboard/v1/openapi.json')
  const isOwn = (path: string) => path.startsWith('/dashboard/v1/')
  expect(Object.keys(body.paths)).toContain('/dashboard/v1/session')
  expect(Object.keys(body.paths).filter((path) => !isOwn(path))).toEqual([])
  expect(Object.keys(document.paths).filter(isOwn)).toEqual([])
})

test('generates the client that the dashboard was built with', async () => {
  const made = join(folder, 'dashboard')
  const documents = await Promise.all(DOCUMENTS.map(async (path) => (await service.api('GET', path)).body as object as Document))
  await writeWebClient(documents, made)
  for (const file of ['sdk.gen.ts', 'types.gen.ts', 'constants.gen.ts'])
    expect(await readFile(join(made, file), 'utf8'), 'Run: node scripts/ready.mjs').toBe(await readFile(join(WEB_CLIENT, file), 'utf8'))
})

test('finds every published operation in test/client, and no other', async () => {
  const program = await readFile('test/client/every-operation.ts', 'utf8')
  const used = new Set([...program.matchAll(/\bapi\.(\w+)\(/g)].map(([, name]) => name))
  expect([...used].sort()).toEqual(
    operationsOf(document)
      .map(({ operationId }) => operationId)
      .sort(),
  )
})

test('compiles test/client with the generated client', { timeout: 240_000 }, async () => {
  const { stdout } = await run(process.execPath, [TYPESCRIPT, '-p', folder]).catch(({ stdout }) => ({ stdout }))
  expect(stdout).toBe('')
})

test('runs the generated client against a running service', { timeout: 60_000 }, async () => {
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
