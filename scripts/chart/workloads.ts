// The template of each service: its resources in k8s/base, with values for what an installation chooses.
import { join } from 'node:path'
import { type Resource, renderKustomization } from '../render-kustomization.ts'
import { serviceOf, templatePod } from './pods.ts'
import { TemplateText } from './template-text.ts'

const manifests = join(import.meta.dirname, '..', '..', 'k8s')

/** Why no migration keeps its Job: an operator that reconciles would make a Job again that its time to live has removed. */
const hook = (weight: number) => ({
  'helm.sh/hook': 'pre-install,pre-upgrade',
  'helm.sh/hook-weight': `${weight}`,
  'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
})

export const base = () => renderKustomization(join(manifests, 'base'))
export const component = (name: string) => renderKustomization(join(manifests, 'components', name))
export const ofKind = (resources: Resource[], kind: string) => resources.filter((each) => each.kind === kind)

/** Deployments that read a bootstrap document. */
function bootstrappedIn(resources: Resource[]): Set<string> {
  const reads = ({ spec }: Resource) =>
    spec.template.spec.volumes.some(({ name }: { name: string }) => name === 'bootstrap')
  return new Set(
    ofKind(resources, 'Deployment')
      .filter(reads)
      .map(({ metadata }) => metadata.name),
  )
}

/** The template of a service. */
export function serviceTemplate(service: string): string {
  const all = base()
  const bootstrapped = bootstrappedIn(all)
  const own = all.filter((resource) => serviceOf(resource) === service)
  const text = new TemplateText()
  const parts = own.flatMap((resource) => {
    if (resource.kind === 'ConfigMap' || resource.kind === 'HorizontalPodAutoscaler') return []
    if (resource.kind === 'Deployment')
      return [deployment(text, resource, bootstrapped), ...scalers(text, all, resource)]
    if (resource.kind === 'Job') return [migration(text, resource)]
    if (resource.kind === 'PodDisruptionBudget')
      return [onlyIf('$.Values.disruptionBudgets.enabled', plain(text, resource))]
    return [plain(text, resource)]
  })
  return parts.join('---\n')
}

/** The template of the Job that makes database, roles, schemas and streams. */
export function provisionTemplate(): string {
  const [job] = component('provision') as [Resource]
  const text = new TemplateText()
  asHook(text, job, -10)
  templatePod(text, job, new Set())
  const { spec: pod } = job.spec.template
  for (const container of pod.containers) container[extra(text, 'volumeMounts', 'notify.secretMounts')] = null
  pod[extra(text, 'volumes', 'notify.secretVolumes')] = null
  const [, streams] = pod.containers
  streams.env = [
    { name: 'STREAM_REPLICAS', value: text.value('$.Values.configMaps.shared.STREAM_REPLICAS | quote') },
    text.lines(
      `{{- if ${hasCredentials} }}`,
      '- name: NATS_CREDS',
      '  value: /run/secrets/notify/provision/NATS_CREDS',
      '{{- end }}',
    ),
  ]
  return onlyIf('$.Values.provision.enabled', plain(text, job))
}

const hasCredentials = 'eq $.Values.nats.login "credentials"'

/** A list that is there only if it is not empty: of the file of credentials, and of the pods' values. */
function extra(text: TemplateText, key: string, helper: string): string {
  const secrets = `(${hasCredentials} | ternary (list "provision") list)`
  return text.lines(
    `{{- with include "${helper}" (list $ ${secrets}) }}`,
    `${key}:`,
    '{{- . | nindent $indent }}',
    '{{- end }}',
  )
}

export function onlyIf(condition: string, template: string): string {
  return `{{- if ${condition} }}\n${template}{{- end }}\n`
}

/** A resource as it is, with the labels of its chart. */
export function plain(text: TemplateText, resource: Resource): string {
  const { apiVersion, kind, metadata, spec } = resource
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !name.startsWith('argocd.'))
  const labels = { ...metadata.labels, [text.lines('{{- include "notify.chartLabels" $ | nindent $indent }}')]: null }
  return text.write({
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      labels,
      ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
    },
    spec,
  })
}

function deployment(text: TemplateText, resource: Resource, bootstrapped: ReadonlySet<string>): string {
  const scaling = `(index $.Values.processes "${resource.metadata.name}").scaling`
  templatePod(text, resource, bootstrapped)
  // An autoscaler and a number in the manifest would undo each other at every upgrade.
  const lines = text.lines(`{{- if eq ${scaling}.by "count" }}`, `replicas: {{ ${scaling}.count }}`, '{{- end }}')
  const { replicas: _, ...spec } = resource.spec
  resource.spec = { [lines]: null, ...spec }
  return plain(text, resource)
}

function migration(text: TemplateText, resource: Resource): string {
  asHook(text, resource, 0)
  templatePod(text, resource, new Set())
  return plain(text, resource)
}

/** Named by the image's version, and run before anything of a release changes. */
function asHook(text: TemplateText, job: Resource, weight: number): void {
  const image = serviceOf(job)
  job.metadata.name = `${job.metadata.name}-${text.value(`include "notify.versionSuffix" (list $ "${image}")`)}`
  job.metadata.annotations = hook(weight)
  delete job.spec.ttlSecondsAfterFinished
}

/** What changes the number of a Deployment's replicas: at most one of the two. */
function scalers(text: TemplateText, all: Resource[], { metadata }: Resource): string[] {
  const { name, labels } = metadata
  const scaling = `(index $.Values.processes "${name}").scaling`
  const [like] = ofKind(all, 'HorizontalPodAutoscaler') as [Resource]
  const byCpu = structuredClone(like)
  byCpu.metadata = { name, labels: labels! }
  byCpu.spec.scaleTargetRef.name = name
  byCpu.spec.minReplicas = text.value(`${scaling}.min`)
  const max = text.value(`include "notify.maxReplicas" (list $ "${name}")`)
  byCpu.spec.maxReplicas = max
  byCpu.spec.metrics[0].resource.target.averageUtilization = text.value(`${scaling}.cpuPercent`)
  const parts = [onlyIf(`eq ${scaling}.by "cpu"`, plain(text, byCpu))]
  const byLanes = component('keda').find(({ spec }) => spec.scaleTargetRef.name === name)
  if (!byLanes) return parts
  byLanes.spec.minReplicaCount = text.value(`${scaling}.min`)
  byLanes.spec.maxReplicaCount = max
  const [{ metadata: trigger }] = byLanes.spec.triggers
  trigger.query = trigger.query.replace('"notify"', `"${text.value('$.Release.Namespace')}"`)
  trigger.serverAddress = text.value('$.Values.monitoring.prometheus')
  trigger.threshold = text.value(`${scaling}.laneUtilization | quote`)
  return [...parts, onlyIf(`eq ${scaling}.by "lanes"`, plain(text, byLanes))]
}
