// Checks Dockerfile, compose.yaml and the Kubernetes manifests against each other and against the service: `npm run manifests`.
import { globSync, readFileSync } from 'node:fs'
import { documentsOf, type Files } from './manifests/documents.ts'
import { drainProblems, imageProblems, portProblems } from './manifests/image.ts'
import { kubernetesProblems } from './manifests/kubernetes.ts'
import { roleProblems, settingProblems } from './manifests/settings.ts'

const PATHS = [
  'Dockerfile',
  '.env.example',
  'compose.yaml',
  'package.json',
  'scripts/ready.mjs',
  'ops/docker/*.json',
  'ops/kubernetes/**/*.yaml',
]
/** Imports and metric names are looked up in the code. */
const CODE = 'src/**/*.ts'

const CHECKS = [seccompProblems, settingProblems, roleProblems, imageProblems, portProblems, drainProblems, kubernetesProblems]

export function readFiles(): Files {
  const paths = [...globSync(PATHS), ...globSync(CODE).filter((path) => !path.endsWith('.test.ts'))]
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
}

/** Everything that is wrong, a sentence each. A file that cannot be parsed is the only problem then. */
export function problemsOf(files: Files): readonly string[] {
  try {
    for (const file of files.keys()) if (file.endsWith('.yaml')) documentsOf(files, file)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  return CHECKS.flatMap((check) => check(files))
}

/** A problem if the seccomp profile that compose.yaml names does not exist. */
function seccompProblems(files: Files): readonly string[] {
  const named = [...(files.get('compose.yaml') ?? '').matchAll(/seccomp:([^"\s]+)/g)].map(([, path = '']) => path)
  return named.filter((path) => !files.has(path)).map((path) => `compose.yaml: the seccomp profile ${path} does not exist.`)
}

function main(): void {
  const files = readFiles()
  const problems = problemsOf(files)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log('manifests: image, compose.yaml and Kubernetes agree')
}

if (process.argv[1] === import.meta.filename) main()
