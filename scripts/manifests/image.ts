// The image and everything that names it: versions, user, programs, packages, ports, and time to drain.
import {
  at,
  containersOf,
  documentsOf,
  entriesAt,
  type Files,
  imageEnvironment,
  instructionsOf,
  listAt,
  type Manifest,
  manifestsOf,
  textAt,
} from './documents.ts'
import { ownServices } from './settings.ts'

export function imageProblems(files: Files): readonly string[] {
  return [...tagProblems(files), ...userProblems(files), ...programProblems(files), ...packageProblems(files)]
}

/** Every image has a tag that is not `latest`, and ours has the version of package.json. */
function tagProblems(files: Files): readonly string[] {
  const bases = instructionsOf(files).filter(({ name }) => name === 'FROM')
  const stages = bases.map(({ text }) => / AS (\S+)$/.exec(text)?.[1])
  const compose = entriesAt(documentsOf(files, 'compose.yaml')[0], 'services')
  const kustomized = manifestsOf(files).flatMap(({ file, document }) => listAt(document, 'images').map((it) => [file, it] as const))
  const named: readonly (readonly [string, string])[] = [
    ...bases.map(({ text }) => ['Dockerfile', text.split(' ')[0] ?? ''] as const).filter(([, image]) => !stages.includes(image)),
    ...compose.map(([name, it]) => [`compose.yaml: ${name}`, textAt(it, 'image')] as const),
    ...kustomized.map(([file, it]) => [file, `${textAt(it, 'name')}:${textAt(it, 'newTag')}`] as const),
  ]
  const { version } = JSON.parse(files.get('package.json') ?? '{}')
  return named.flatMap(([where, image]) => {
    const tag = image.split(':')[1] ?? ''
    if (tag === '' || tag === 'latest') return [`${where}: ${image} needs a tag, and not latest.`]
    return /^emissary/.test(image) && tag !== version ? [`${where}: ${image} must have the version of package.json, ${version}.`] : []
  })
}

export function imageUser(files: Files): string {
  return instructionsOf(files).findLast(({ name }) => name === 'USER')?.text ?? ''
}

function userProblems(files: Files): readonly string[] {
  const [user = ''] = imageUser(files).split(':')
  return /^[1-9]\d*$/.test(user)
    ? []
    : [`Dockerfile: USER must be a number other than 0, which Kubernetes can check; got ${user || 'none'}.`]
}

/** The image has the programs that scripts/ready.mjs installs, except those for tests and the setuid sandbox, which needs CAP_SYS_ADMIN. */
function programProblems(files: Files): readonly string[] {
  const rows = [...(files.get('scripts/ready.mjs') ?? '').matchAll(/\{[^{}]*\bpackages: \[([^\]]*)\][^{}]*\}/g)]
  const wanted = rows
    .filter(([row]) => !row.includes('onlyForTests'))
    .flatMap(([, packages = '']) => [...packages.matchAll(/'([^']+)'/g)].map(([, name = '']) => name))
  const installed = instructionsOf(files).flatMap(({ text }) => (text.includes('apt-get install') ? text.split(/\s+/) : []))
  const missing = wanted.filter((name) => name !== 'chromium-sandbox' && !installed.includes(name))
  return missing.map((name) => `Dockerfile: the package ${name} of scripts/ready.mjs is not installed.`)
}

/** Packages that the image leaves out are not imported by the service. */
function packageProblems(files: Files): readonly string[] {
  const removal = instructionsOf(files).find(({ text }) => text.includes('npm uninstall'))?.text ?? ''
  const removed = (removal.split('npm uninstall')[1] ?? '').split(/\s+/).filter((word) => word !== '' && !word.startsWith('-'))
  const sources = [...files].filter(([path]) => path.startsWith('src/'))
  return removed.flatMap((name) => {
    const imports = new RegExp(`(from|import\\(|require\\()\\s*'${name}['/]`)
    const user = sources.find(([, text]) => text.includes(`'${name}`) && imports.test(text))
    return user ? [`Dockerfile: ${name} is removed, but ${user[0]} imports it.`] : []
  })
}

/** One port in the image, in compose.yaml and in the health check. */
export function portProblems(files: Files): readonly string[] {
  const { PORT = '' } = imageEnvironment(files)
  const instructions = instructionsOf(files)
  const exposed = instructions.find(({ name }) => name === 'EXPOSE')?.text
  const health = instructions.find(({ name }) => name === 'HEALTHCHECK')?.text ?? ''
  const published = ownServices(files).flatMap(([name, it]) => listAt(it, 'ports').map((port) => [name, String(port)] as const))
  const urls = ownServices(files).map(([name, it]) => [name, textAt(it, 'environment', 'NODE_URL')] as const)
  return [
    ...(exposed === PORT ? [] : [`Dockerfile: EXPOSE must be PORT, ${PORT}.`]),
    ...(health.includes('/healthz') ? [] : ['Dockerfile: HEALTHCHECK must ask /healthz.']),
    ...published
      .filter(([, it]) => !it.endsWith(`:${PORT}`))
      .map(([name]) => `compose.yaml: ${name}: the container's port must be ${PORT}.`),
    ...urls
      .filter(([name, it]) => it !== '' && it !== `http://${name}:${PORT}`)
      .map(([name]) => `compose.yaml: ${name}: NODE_URL must be http://${name}:${PORT}.`),
  ]
}

/** After DRAIN_SECONDS a node hands its bots over and uploads, which takes up to this. */
const HAND_OVER_SECONDS = 30

/** A container with bots drains when it is stopped, and is not killed before that is over. */
export function drainProblems(files: Files): readonly string[] {
  const compose = ownServices(files)
    .filter(([, it]) => at(it, 'environment', 'DRAIN_SECONDS') !== undefined)
    .map(([name, it]) => ({
      where: `compose.yaml: ${name}: stop_grace_period`,
      seconds: secondsOf(textAt(it, 'stop_grace_period')),
      drain: Number(textAt(it, 'environment', 'DRAIN_SECONDS')),
    }))
  const fleet = manifestsOf(files)
    .filter(({ kind, name }) => kind === 'Deployment' && name.endsWith('-fleet'))
    .map((it) => ({
      where: `${it.file}: terminationGracePeriodSeconds`,
      seconds: Number(textAt(it.document, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds')),
      drain: Number(
        textAt(
          environmentOf(it).find((variable) => textAt(variable, 'name') === 'DRAIN_SECONDS'),
          'value',
        ) || Number.NaN,
      ),
    }))
  return [...compose, ...fleet]
    .filter(({ seconds, drain }) => !(seconds >= drain + HAND_OVER_SECONDS))
    .map(({ where, drain }) => `${where} must be at least ${HAND_OVER_SECONDS} more than DRAIN_SECONDS, ${drain}.`)
}

function environmentOf(manifest: Manifest): readonly unknown[] {
  return containersOf(manifest).flatMap((container) => listAt(container, 'env'))
}

function secondsOf(duration: string): number {
  const [, amount = '', unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? []
  return Number(amount) * ({ s: 1, m: 60, h: 3_600 }[unit] ?? Number.NaN)
}
