// The check of image and manifests finds nothing in the repository, and each fault that is put into a copy.
import { expect, test } from 'vitest'
import { problemsOf, readFiles } from './manifests.ts'

const FILES = readFiles()
const K = 'ops/kubernetes'

test('finds no disagreement in the files of the repository', () => {
  expect(problemsOf(FILES)).toEqual([])
})

type Fault = { readonly file: string; readonly from: string; readonly to: string; readonly problem: string }

const FAULTS: readonly Fault[] = [
  { file: 'compose.yaml', from: 'services:', to: 'services: [', problem: 'compose.yaml: ' },
  { file: 'compose.yaml', from: 'S3_BUCKET:', to: 'S3_BUCKETS:', problem: 'S3_BUCKETS is not a setting' },
  { file: 'compose.yaml', from: 'seccomp.json', to: 'absent.json', problem: 'the seccomp profile ops/docker/absent.json does not exist' },
  { file: 'compose.yaml', from: 'postgres:18-alpine', to: 'postgres:latest', problem: 'postgres:latest needs a tag, and not latest' },
  { file: 'compose.yaml', from: 'emissary:0.1.0', to: 'emissary:9.9.9', problem: 'emissary:9.9.9 must have the version of package.json' },
  { file: 'compose.yaml', from: '4000:4000', to: '4000:8080', problem: "the container's port must be 4000" },
  { file: 'compose.yaml', from: 'http://fleet-2:4000', to: 'http://fleet-1:4000', problem: 'NODE_URL must be http://fleet-2:4000' },
  {
    file: 'compose.yaml',
    from: 'stop_grace_period: 1h',
    to: 'stop_grace_period: 1m',
    problem: 'must be at least 30 more than DRAIN_SECONDS',
  },
  { file: '.env.example', from: 'PUBLIC_URL=', to: 'PUBLIC_ADDRESS=', problem: '.env.example: PUBLIC_ADDRESS is not a setting' },
  { file: 'Dockerfile', from: 'USER 10001:10001', to: 'USER root', problem: 'USER must be a number other than 0' },
  { file: 'Dockerfile', from: 'USER 10001:10001', to: 'USER 10002:10002', problem: 'runAsUser must be the user of the image, 10002' },
  { file: 'Dockerfile', from: 'EXPOSE 4000', to: 'EXPOSE 80', problem: 'EXPOSE must be PORT, 4000' },
  { file: 'Dockerfile', from: '/healthz', to: '/', problem: 'HEALTHCHECK must ask /healthz' },
  { file: 'Dockerfile', from: 'LOG_FORMAT=json', to: 'LOG_FORMAT=xml', problem: 'LOG_FORMAT must be one of auto, json, pretty' },
  { file: 'Dockerfile', from: ' xdotool ', to: ' ', problem: 'the package xdotool of scripts/ready.mjs is not installed' },
  { file: 'Dockerfile', from: ' media-chrome ', to: ' fastify ', problem: 'fastify is removed, but src/' },
  { file: `${K}/base/kustomization.yaml`, from: '  - media.yaml\n', to: '', problem: `${K}/base/media.yaml is not listed` },
  { file: `${K}/base/kustomization.yaml`, from: 'fleet.yaml', to: 'fleets.yaml', problem: `${K}/base/fleets.yaml does not exist` },
  { file: `${K}/base/settings.yaml`, from: 'ROOM: "off"', to: 'ROOM: "no"', problem: 'ROOM must be one of open, signed, off' },
  {
    file: `${K}/base/api.yaml`,
    from: 'configMapRef: { name: emissary }',
    to: 'configMapRef: { name: x }',
    problem: 'there is no ConfigMap x',
  },
  { file: `${K}/base/service-account.yaml`, from: 'name: emissary', to: 'name: other', problem: 'there is no ServiceAccount emissary' },
  { file: `${K}/base/fleet.yaml`, from: 'Seconds: 3600', to: 'Seconds: 3550', problem: 'must be at least 30 more than DRAIN_SECONDS' },
  { file: `${K}/base/fleet.yaml`, from: 'name: DRAIN_SECONDS', to: 'name: PORT', problem: 'more than DRAIN_SECONDS, NaN' },
  { file: `${K}/base/fleet.yaml`, from: 'runAsNonRoot: true', to: 'runAsNonRoot: false', problem: 'runAsNonRoot must be true' },
  { file: `${K}/base/fleet.yaml`, from: 'path: /readyz', to: 'path: /', problem: 'readinessProbe must ask /readyz' },
  { file: `${K}/base/fleet.yaml`, from: 'port: http', to: 'port: web', problem: 'startupProbe must ask /healthz on a named port' },
  { file: `${K}/base/fleet.yaml`, from: 'containerPort: 4000', to: 'containerPort: 80', problem: 'containerPort must be PORT' },
  { file: `${K}/base/fleet.yaml`, from: 'drop: [ALL]', to: 'drop: []', problem: 'capabilities must drop ALL' },
  { file: `${K}/base/fleet.yaml`, from: 'apps/v1', to: 'v1', problem: 'apiVersion of a Deployment must be apps/v1' },
  { file: `${K}/base/media.yaml`, from: '--roles, media', to: '--roles, movies', problem: 'movies is not a role' },
  { file: `${K}/base/media.yaml`, from: '--roles, media', to: '--roles, fleet', problem: 'no Deployment has the role media' },
  {
    file: `${K}/base/api.yaml`,
    from: 'name: emissary-api }\nspec:\n  scale',
    to: 'name: "" }\nspec:\n  scale',
    problem: 'needs metadata.name',
  },
  { file: `${K}/base/disruption-budgets.yaml`, from: 'component: fleet', to: 'component: none', problem: 'matches no Deployment' },
  { file: `${K}/components/autoscaling/fleet.yaml`, from: 'max(emissary_', to: 'max(emissary_x', problem: 'the service has no metric' },
  {
    file: `${K}/components/autoscaling/fleet.yaml`,
    from: 'Ref: { name: emissary-fleet }',
    to: 'Ref: { name: bots }',
    problem: 'there is no Deployment bots to scale',
  },
]

test.each(FAULTS)('finds `$to` in $file', ({ file, from, to, problem }) => {
  const text = FILES.get(file) ?? ''
  expect(text).toContain(from)
  const problems = problemsOf(new Map([...FILES, [file, text.replace(from, to)]]))
  expect(problems.filter((it) => it.includes(problem)).length, problems.join('\n')).toBeGreaterThan(0)
})
