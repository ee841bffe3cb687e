// The Kubernetes manifests: required fields, names that refer to each other, files that exist, probes, and pods without privileges.
import { posix } from 'node:path'
import { at, containersOf, entriesAt, type Files, imageEnvironment, listAt, type Manifest, manifestsOf, textAt } from './documents.ts'
import { imageUser } from './image.ts'

export function kubernetesProblems(files: Files): readonly string[] {
  const all = manifestsOf(files)
  const deployments = all.filter(({ kind }) => kind === 'Deployment')
  return [
    ...all.flatMap(fieldProblems),
    ...all.flatMap((it) => kustomizeProblems(files, it)),
    ...all.flatMap((it) => referenceProblems(all, it)),
    ...deployments.flatMap((it) => podProblems(it, imageUser(files).split(':')[0] ?? '')),
    ...deployments.flatMap((it) => containersOf(it).flatMap((container) => containerProblems(it.file, container, files))),
    ...all.flatMap((it) => metricProblems(files, it)),
  ]
}

const GROUPS: Readonly<Record<string, string>> = {
  Kustomization: 'kustomize.config.k8s.io/v1beta1',
  Component: 'kustomize.config.k8s.io/v1alpha1',
  Namespace: 'v1',
  ServiceAccount: 'v1',
  ConfigMap: 'v1',
  Service: 'v1',
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  PodDisruptionBudget: 'policy/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  ScaledObject: 'keda.sh/v1alpha1',
}

const isKustomize = ({ kind }: Manifest) => kind === 'Kustomization' || kind === 'Component'

function fieldProblems(manifest: Manifest): readonly string[] {
  const { file, kind, name, document } = manifest
  const group = GROUPS[kind]
  if (group === undefined) return [`${file}: the kind ${kind || 'of a document'} is unknown to scripts/manifests/kubernetes.ts.`]
  return [
    ...(textAt(document, 'apiVersion') === group ? [] : [`${file}: apiVersion of a ${kind} must be ${group}.`]),
    ...(name || isKustomize(manifest) ? [] : [`${file}: a ${kind} needs metadata.name.`]),
  ]
}

/** Files of a kustomization exist, and each file beside it is in its lists. */
function kustomizeProblems(files: Files, manifest: Manifest): readonly string[] {
  if (!isKustomize(manifest)) return []
  const { file, document } = manifest
  const folder = posix.dirname(file)
  const listed = [
    ...['resources', 'components'].flatMap((list) => listAt(document, list).map(String)),
    ...listAt(document, 'patches').flatMap((it) => textAt(it, 'path') || []),
  ].map((path) => posix.join(folder, path))
  const missing = listed.filter((path) => !files.has(path) && !files.has(`${path}/kustomization.yaml`))
  const beside = [...files.keys()].filter((path) => posix.dirname(path) === folder && path !== file)
  const forgotten = beside.filter((path) => !listed.includes(path))
  return [...missing.map((path) => `${file}: ${path} does not exist.`), ...forgotten.map((path) => `${file}: ${path} is not listed.`)]
}

/** Autoscalers, disruption budgets, services and pods name things that exist. The Secret is the operator's. */
function referenceProblems(all: readonly Manifest[], { file, kind, document }: Manifest): readonly string[] {
  const has = (wanted: string, name: string) => all.some((it) => it.kind === wanted && it.name === name)
  const target = textAt(document, 'spec', 'scaleTargetRef', 'name')
  const labels = entriesAt(document, 'spec', 'selector', ...(kind === 'Service' ? [] : ['matchLabels']))
  const isSelected = all.some(({ kind: other, document: pod }) => other === 'Deployment' && matches(pod, labels))
  const account = textAt(document, 'spec', 'template', 'spec', 'serviceAccountName')
  const maps = listAt(document, 'spec', 'template', 'spec', 'containers').flatMap((it) =>
    listAt(it, 'envFrom').map((from) => textAt(from, 'configMapRef', 'name')),
  )
  return [
    ...(target && !has('Deployment', target) ? [`${file}: there is no Deployment ${target} to scale.`] : []),
    ...(labels.length > 0 && !isSelected ? [`${file}: the selector of the ${kind} matches no Deployment.`] : []),
    ...(kind === 'Deployment' && !has('ServiceAccount', account) ? [`${file}: there is no ServiceAccount ${account}.`] : []),
    ...maps.filter((name) => name && !has('ConfigMap', name)).map((name) => `${file}: there is no ConfigMap ${name}.`),
  ]
}

function matches(deployment: unknown, labels: readonly (readonly [string, unknown])[]): boolean {
  return labels.every(([name, value]) => at(deployment, 'spec', 'template', 'metadata', 'labels', name) === value)
}

function podProblems({ file, document }: Manifest, user: string): readonly string[] {
  const pod = at(document, 'spec', 'template', 'spec')
  const security = at(pod, 'securityContext')
  const profile = textAt(security, 'seccompProfile', 'type')
  return [
    ...(at(security, 'runAsNonRoot') === true ? [] : [`${file}: runAsNonRoot must be true.`]),
    ...(textAt(security, 'runAsUser') === user ? [] : [`${file}: runAsUser must be the user of the image, ${user}.`]),
    ...(['RuntimeDefault', 'Localhost'].includes(profile) ? [] : [`${file}: a seccompProfile is missing.`]),
    ...(at(pod, 'terminationGracePeriodSeconds') === undefined ? [`${file}: terminationGracePeriodSeconds is missing.`] : []),
  ]
}

const PROBES = { startupProbe: '/healthz', livenessProbe: '/healthz', readinessProbe: '/readyz' }

function containerProblems(file: string, container: unknown, files: Files): readonly string[] {
  const { PORT = '' } = imageEnvironment(files)
  const security = at(container, 'securityContext')
  const ports = listAt(container, 'ports')
  const nodeUrl = listAt(container, 'env').find((it) => textAt(it, 'name') === 'NODE_URL')
  const probes = Object.entries(PROBES).filter(
    ([probe, path]) =>
      textAt(container, probe, 'httpGet', 'path') !== path ||
      !ports.some((it) => textAt(it, 'name') === textAt(container, probe, 'httpGet', 'port')),
  )
  return [
    ...probes.map(([probe, path]) => `${file}: ${probe} must ask ${path} on a named port of the container.`),
    ...(ports.every((it) => textAt(it, 'containerPort') === PORT) ? [] : [`${file}: containerPort must be PORT of the image, ${PORT}.`]),
    ...(textAt(nodeUrl, 'value').endsWith(`:${PORT}`) ? [] : [`${file}: NODE_URL must have the port ${PORT}.`]),
    ...(textAt(container, 'resources', 'requests', 'memory') ? [] : [`${file}: resources.requests are missing.`]),
    ...(at(security, 'allowPrivilegeEscalation') === false ? [] : [`${file}: allowPrivilegeEscalation must be false.`]),
    ...(listAt(security, 'capabilities', 'drop').includes('ALL') ? [] : [`${file}: capabilities must drop ALL.`]),
  ]
}

/** Metrics of autoscaling queries are metrics of the service. */
function metricProblems(files: Files, { file, document }: Manifest): readonly string[] {
  const queries = listAt(document, 'spec', 'triggers').map((it) => textAt(it, 'metadata', 'query'))
  const names = queries.flatMap((query) => query.match(/emissary_\w+/g) ?? [])
  const sources = [...files].filter(([path]) => path.startsWith('src/service/'))
  const isCounted = (name: string) => sources.some(([, text]) => text.includes(name) && new RegExp(`\\b${name}\\b`).test(text))
  const unknown = names.filter((name) => !isCounted(name))
  return unknown.map((name) => `${file}: the service has no metric ${name}.`)
}
