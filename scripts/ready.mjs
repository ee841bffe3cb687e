// Prepares a machine for `npm start`, `npm test` and `npm run bench`: npm packages, Node, system packages. Any Node from 20 runs it.
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changedAt, clientBuild, dashboardBuild } from './dashboard.mjs'
import { run, timed } from './run.mjs'
import { tidyPackages } from './tidy-packages.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const MODULES = join(ROOT, 'node_modules')
/** The sha256 of the package-lock.json that node_modules was made from. */
const STAMP = join(MODULES, '.emissary-ready')
const BUNDLED_NODE = join(MODULES, '.bin', 'node')
const MODELS = join(ROOT, 'src', 'speech', 'models.ts')
const COMPILED = join(MODULES, '.cache', 'emissary')
const COMPILED_STAMP = join(MODULES, '.cache', '.emissary-compiled')

/** `npm start` needs no development dependencies. Everything else does. */
const NEEDS_DEVELOPER_TOOLS = process.env.npm_lifecycle_event !== 'prestart'
/** The first Node that runs .ts files without a flag. */
const OLDEST_NODE = [22, 18]
const OLDEST_BUNDLED_NODE = [24, 0]

/** Programs that Emissary runs. One of `commands` is enough. `setting` is an environment variable with the path of another one. */
const PROGRAMS = [
  {
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    setting: 'CHROMIUM_PATH',
    packages: ['chromium', 'chromium-sandbox', 'fonts-liberation'],
    use: 'the browser of the bots',
  },
  { commands: ['Xvfb'], packages: ['xvfb'], use: 'the display of headed browsers', onlyHeaded: true },
  { commands: ['xdotool'], packages: ['xdotool'], use: 'the pointer and keyboard of that display', onlyHeaded: true },
  { commands: ['ffmpeg'], packages: ['ffmpeg'], use: 'makes recordings' },
  { commands: ['espeak-ng'], packages: ['espeak-ng'], use: 'speech in many languages' },
  { commands: ['flite'], packages: ['flite'], use: 'English speech' },
  {
    commands: ['swift-proxy-server'],
    packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'],
    use: 'the S3 server of tests',
    onlyForTests: true,
  },
  { commands: ['pgbouncer'], packages: ['pgbouncer'], use: 'the connection pooler of tests', onlyForTests: true },
  { commands: ['pg_ctlcluster'], packages: ['postgresql'], use: 'the operator’s PostgreSQL of tests', onlyForTests: true },
  { commands: ['python3'], packages: ['python3'], use: 'runs a receiver of the documentation', onlyForTests: true },
  { commands: ['curl'], packages: ['curl'], use: 'runs the requests of the documentation', onlyForTests: true },
  { commands: ['jq'], packages: ['jq'], use: 'runs a request of the documentation', onlyForTests: true },
  { commands: ['openssl'], packages: ['openssl'], use: 'makes certificates for tests', onlyForTests: true },
  { commands: ['ps'], packages: ['procps'], use: 'finds the processes that tests kill', onlyForTests: true },
]
const APT_OPTIONS = ['-q', '-o', 'DPkg::Lock::Timeout=120']
const APT_TRIES = 60
const APT_PAUSE_MS = 2_000
/** A process that hangs does not block the start. */
const COMPILE_WITHIN_MS = 30_000

/** The user must do something first. The message says what. */
class NotReady extends Error {}

try {
  prepareNpmPackages()
  tidyPackages(MODULES)
  checkNode()
  preparePrograms()
  prepareModels()
  compileWorker()
  buildDashboard()
} catch (error) {
  if (!(error instanceof NotReady)) throw error
  console.error(`emissary: ${error.message}`)
  process.exitCode = 1
}

function prepareNpmPackages() {
  const lock = readFileSync(join(ROOT, 'package-lock.json'))
  const stamp = createHash('sha256').update(lock).digest('hex')
  if (readText(STAMP) === stamp) return
  const wanted = JSON.parse(lock.toString()).packages
  if (!isInstalled(wanted, NEEDS_DEVELOPER_TOOLS)) timed('installing npm packages', installNpmPackages)
  if (isInstalled(wanted, true)) writeFileSync(STAMP, stamp)
}

/** True: npm has installed the versions of the lock file, and their folders exist. Then no second `npm ci` is needed. */
function isInstalled(wanted, withDeveloperTools) {
  const noted = JSON.parse(readText(join(MODULES, '.package-lock.json')) ?? '{}').packages
  if (noted === undefined) return false
  const forThisMachine = Object.keys(wanted[''].optionalDependencies ?? {}).map((name) => `node_modules/${name}`)
  return Object.entries(wanted)
    .filter(([path, entry]) => path !== '' && (forThisMachine.includes(path) ? suits(entry) : !entry.optional && !entry.devOptional))
    .filter(([, entry]) => withDeveloperTools || !entry.dev)
    .every(([path, entry]) => noted[path]?.version === entry.version && existsSync(join(ROOT, path, 'package.json')))
}

function suits({ os, cpu }) {
  return os?.includes(process.platform) && cpu?.includes(process.arch)
}

function installNpmPackages() {
  const { npm_execpath: script = '', npm_node_execpath: node = process.execPath } = process.env
  const npm = basename(script).startsWith('npm') ? [node, script] : ['npm']
  const extra = NEEDS_DEVELOPER_TOOLS ? ['--include=dev'] : ['--omit=dev']
  const options = ['--include=optional', '--no-audit', '--no-fund', ...extra]
  // Otherwise the ONNX runtime package downloads GPU libraries, which are not needed and not reachable everywhere.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip', ONNXRUNTIME_NODE_INSTALL_CUDA: 'skip' }
  const { ok, output } = run([...npm, 'ci', ...options], { cwd: ROOT, env })
  // Warnings about engines refer to this Node, not to the one that npm installs here.
  const errors = output.split('\n').filter((line) => !line.startsWith('npm warn'))
  if (!ok) throw new NotReady(`The npm packages could not be installed.\n${errors.join('\n')}\nFix the cause, then run: npm ci`)
}

function checkNode() {
  const bundled = existsSync(BUNDLED_NODE) ? run([BUNDLED_NODE, '--version']).output : ''
  if (isAtLeast(bundled, OLDEST_BUNDLED_NODE) || isAtLeast(process.version, OLDEST_NODE)) return
  const machine = `${process.platform} on ${process.arch}`
  throw new NotReady(`This is Node ${process.version}, and npm brings no newer one for ${machine}. Install Node 24: https://nodejs.org`)
}

function isAtLeast(version, [major, minor]) {
  const [ours = 0, ourMinor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return ours > major || (ours === major && ourMinor >= minor)
}

function preparePrograms() {
  const missing = PROGRAMS.filter((program) => (NEEDS_DEVELOPER_TOOLS || !program.onlyForTests) && !isInstalledProgram(program))
  const isOptional = ({ onlyHeaded }) => onlyHeaded && !NEEDS_DEVELOPER_TOOLS && process.env.BROWSER_MODE !== 'headed'
  install(missing.filter((program) => !isOptional(program)))
  if (process.env.BROWSER_MODE === 'headless') return
  try {
    install(missing.filter(isOptional))
  } catch (error) {
    if (!(error instanceof NotReady)) throw error
    console.error(
      `emissary: ${error.message}\nemissary: until then every bot has a headless browser. Set BROWSER_MODE=headless to skip this step.`,
    )
  }
}

function install(missing) {
  if (missing.length === 0) return
  const names = missing.map(({ commands }) => commands[0]).join(', ')
  const packages = missing.flatMap((program) => program.packages)
  if (!isOnPath('apt-get')) {
    const needs = missing.map(({ commands, use }) => `\n  ${commands[0]} (${use})`).join('')
    throw new NotReady(`These programs are missing. Install them by hand, because there is no apt-get:${needs}`)
  }
  const root = rootPrefix()
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  const byHand = `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${packages.join(' ')}`
  if (root === undefined) throw new NotReady(`${names} must be installed, which needs root. Run:\n  ${byHand}`)
  timed(`installing ${names} with apt-get (takes a minute or two)`, () => installPackages(root, packages, byHand))
  const remaining = missing.filter((program) => !isInstalledProgram(program))
  if (remaining.length > 0)
    throw new NotReady(
      `apt-get has run, but ${remaining.map(({ commands }) => commands[0]).join(', ')} is not on the PATH. Install it and run this again.`,
    )
}

/** Installs the models of the provider `native`. Only tests require them: a service without them transcribes by other providers. */
function prepareModels() {
  const folder = process.env.MODELS_DIR || join(homedir(), '.cache', 'emissary', 'models')
  const wanted = [...(readText(MODELS) ?? '').matchAll(/^ {2}folder: '(.+)',$/gm)].map(([, name]) => join(folder, name))
  if (wanted.every((place) => existsSync(place))) return
  timed('downloading the speech models (about 60 MB)', () => {
    const { ok, output } = run([newestNode(), join(ROOT, 'src', 'cli.ts'), 'models', 'install'], { cwd: ROOT })
    const problem = `The speech models could not be downloaded.\n${output}\nFix the cause, then run: npx emissary models install`
    if (!ok && process.env.npm_lifecycle_event === 'pretest') throw new NotReady(problem)
    if (!ok) console.error(`emissary: ${problem}\nemissary: until then the speech provider native fails. Other providers work.`)
  })
}

/** Fills the compile cache. Without it a worker starts at twice the cost and takes 40 MB more. Workers that run as other users cannot write it. */
function compileWorker() {
  if (compiledAt() > changedAt(join(ROOT, 'src'))) return
  const { ok } = run([newestNode(), join(ROOT, 'scripts', 'compile.ts')], { timeout: COMPILE_WITHIN_MS })
  if (ok && existsSync(COMPILED)) writeFileSync(COMPILED_STAMP, ROOT)
}

/** Node finds compiled code by the path of its source, so a copied or moved folder has none. */
function compiledAt() {
  return existsSync(COMPILED_STAMP) && readFileSync(COMPILED_STAMP, 'utf8') === ROOT ? statSync(COMPILED_STAMP).mtimeMs : 0
}

/** Tests require the dashboard. The API works without it. */
function buildDashboard() {
  for (const [step, build] of [
    ['describing the API for the dashboard', clientBuild],
    ['building the dashboard', dashboardBuild],
  ]) {
    const command = build(ROOT, newestNode())
    if (command === undefined) continue
    timed(step, () => {
      const { ok, output } = run(command, { cwd: ROOT })
      if (!ok && process.env.npm_lifecycle_event === 'pretest') throw new NotReady(`The dashboard could not be built.\n${output}`)
      if (!ok) console.error(`emissary: The dashboard could not be built, so / has none. Fix the cause and start again.\n${output}`)
    })
  }
}

function newestNode() {
  return existsSync(BUNDLED_NODE) ? BUNDLED_NODE : process.execPath
}

/** The prefix of a command that needs root; undefined: sudo is absent or asks for a password. */
function rootPrefix() {
  const noninteractive = ['env', 'DEBIAN_FRONTEND=noninteractive']
  if (process.getuid?.() === 0) return noninteractive
  return isOnPath('sudo') && run(['sudo', '-n', 'true']).ok ? ['sudo', '-n', ...noninteractive] : undefined
}

function installPackages(root, packages, byHand) {
  // If the update fails, older package lists may suffice. Otherwise the installation fails and reports it.
  aptGet([...root, 'apt-get', 'update', ...APT_OPTIONS])
  const { ok, output } = aptGet([...root, 'apt-get', 'install', '-y', '--no-install-recommends', ...APT_OPTIONS, ...packages])
  if (!ok) throw new NotReady(`apt-get could not install ${packages.join(', ')}.\n${output}\nFix the cause, then run:\n  ${byHand}`)
}

/** apt-get itself waits for dpkg's lock, but not for the lock of the package lists. */
function aptGet(command) {
  for (let tries = 1; ; tries++) {
    const result = run(command)
    if (result.ok || tries === APT_TRIES || !result.output.includes('Could not get lock')) return result
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, APT_PAUSE_MS)
  }
}

function isInstalledProgram({ commands, setting }) {
  const named = process.env[setting]
  return named ? isProgram(named) : commands.some(isOnPath)
}

/** Debian keeps servers in /usr/sbin, which is on the PATH of root only. */
function isOnPath(command) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) => isProgram(join(folder, command)))
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
