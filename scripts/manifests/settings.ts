// Settings and roles that the files name: each exists, and its value is valid.
import { ALL_ROLES } from '../../src/domain/node-roles.ts'
import { SETTINGS } from '../../src/service/config.ts'
import { containersOf, documentsOf, entriesAt, type Files, imageEnvironment, listAt, manifestsOf, textAt } from './documents.ts'

/** Names in an environment that are no settings: a part of NODE_URL, and the password of the database's own container. */
const HELPERS = ['POD_IP', 'POSTGRES_PASSWORD']

type Given = { readonly where: string; readonly name: string; readonly value: string }

export function settingProblems(files: Files): readonly string[] {
  return [...fromImage(files), ...fromEnvFile(files), ...fromCompose(files), ...fromManifests(files)].flatMap(problemOf)
}

function fromImage(files: Files): readonly Given[] {
  return givenIn('Dockerfile', Object.entries(imageEnvironment(files)))
}

function fromEnvFile(files: Files): readonly Given[] {
  const lines = (files.get('.env.example') ?? '').split('\n').filter((line) => line && !line.startsWith('#'))
  return givenIn(
    '.env.example',
    lines.map((line) => [line.split('=')[0] ?? '', line.split('=').slice(1).join('=')]),
  )
}

/** Services of our own image. */
export function ownServices(files: Files): readonly (readonly [string, unknown])[] {
  return entriesAt(documentsOf(files, 'compose.yaml')[0], 'services').filter(([, it]) => textAt(it, 'image').startsWith('emissary'))
}

function fromCompose(files: Files): readonly Given[] {
  return ownServices(files).flatMap(([name, it]) => givenIn(`compose.yaml: ${name}`, entriesAt(it, 'environment')))
}

function fromManifests(files: Files): readonly Given[] {
  return manifestsOf(files).flatMap((manifest) => {
    const data = manifest.kind === 'ConfigMap' ? entriesAt(manifest.document, 'data') : []
    const env = containersOf(manifest).flatMap((it) => listAt(it, 'env'))
    return givenIn(manifest.file, [...data, ...env.map((it) => [textAt(it, 'name'), textAt(it, 'value')] as const)])
  })
}

function givenIn(where: string, entries: readonly (readonly [string, unknown])[]): readonly Given[] {
  return entries.map(([name, value]) => ({ where, name, value: typeof value === 'string' ? value : String(value ?? '') }))
}

const SETTING_NAMES = new Map(Object.entries(SETTINGS))

function problemOf({ where, name, value }: Given): readonly string[] {
  if (HELPERS.includes(name)) return []
  const setting = SETTING_NAMES.get(name)
  if (!setting) return [`${where}: ${name} is not a setting. docs/configuration.md lists them.`]
  // A value that another program fills in is unknown here.
  if (value === '' || /\$[{(]/.test(value)) return []
  try {
    setting.read(value)
    return []
  } catch (error) {
    return [`${where}: ${name} ${error instanceof Error ? error.message : String(error)}.`]
  }
}

/** Every role is known, and the deployments of the base have them all. */
export function roleProblems(files: Files): readonly string[] {
  const inManifests = manifestsOf(files).flatMap((it) => containersOf(it).map((container) => rolesIn(it.file, listAt(container, 'args'))))
  const inCompose = ownServices(files).map(([name, it]) => rolesIn(`compose.yaml: ${name}`, listAt(it, 'command')))
  const known: readonly string[] = ALL_ROLES
  const wrong = [...inManifests, ...inCompose].flatMap(({ where, roles }) =>
    roles.filter((role) => !known.includes(role)).map((role) => `${where}: ${role} is not a role. The roles are ${known.join(', ')}.`),
  )
  const present = inManifests.flatMap(({ roles }) => roles)
  const missing = ALL_ROLES.filter((role) => !present.includes(role))
  return [...wrong, ...missing.map((role) => `ops/kubernetes: no Deployment has the role ${role}.`)]
}

function rolesIn(where: string, args: readonly unknown[]) {
  const roles = args.indexOf('--roles') < 0 ? '' : String(args[args.indexOf('--roles') + 1])
  return { where, roles: roles.split(',').filter((role) => role !== '') }
}
