// What pods of the chart have that is an installation's choice: images, configuration, secrets, resources.
import type { Resource } from '../render-kustomization.ts'
import type { TemplateText } from './template-text.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form here, as in the renderer.
type Tree = any

interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: Tree; configMapKeyRef?: Tree }
}

/** Variables that the chart sets itself: no value may change them. */
export const fixedVariables = [
  'PORT',
  'METRICS_PORT',
  'ROLE',
  'LANES',
  'MIGRATE_ON_START',
  'BOOTSTRAP_FILE',
  'PRINCIPAL_JWKS',
  'PUBLIC_URL',
]

const quoted = (texts: readonly string[]) => texts.map((text) => `"${text}"`).join(' ')

/** The name of the service that a workload belongs to. */
export const serviceOf = ({ metadata }: Resource) => metadata.labels!['app.kubernetes.io/name']!

/** Replaces in the pod of a Deployment or Job what values decide. */
export function templatePod(text: TemplateText, workload: Resource, bootstrapped: ReadonlySet<string>): void {
  const { template } = workload.spec
  const pod = template.spec as Tree
  const service = serviceOf(workload)
  const isJob = workload.kind === 'Job'
  const name = workload.metadata.name
  const secrets = secretsOf(workload)
  for (const container of pod.containers) {
    container.image = text.value(`include "notify.image" (list $ "${imageOf(container.image)}")`)
    container.imagePullPolicy = text.value('$.Values.image.pullPolicy')
    if (container.env && service !== 'provision') templateContainer(text, workload, container, bootstrapped)
  }
  if (!isJob) {
    const resources = text.lines(
      'resources:',
      `{{- toYaml (index $.Values.processes "${name}").resources | nindent 12 }}`,
    )
    replaceKey(pod.containers[0], 'resources', resources)
    pod.terminationGracePeriodSeconds = text.value('$.Values.pods.terminationGracePeriodSeconds')
    const checksum = isReadingOwn(workload) ? ` "${service}"` : ''
    template.metadata.annotations = {
      [text.lines(
        `checksum/configuration: {{ include "notify.checksum" (list $ "shared" "public-address"${checksum}) }}`,
      )]: null,
    }
  }
  if (pod.volumes) templateVolumes(text, pod, secrets, bootstrapped.has(name))
  pod[text.lines('{{- include "notify.podSettings" $ | nindent $indent }}')] = null
}

function imageOf(image: string): string {
  return /\/([a-z-]+):[^/]+$/.exec(image)![1]!
}

function isReadingOwn(workload: Resource): boolean {
  const { envFrom = [] } = workload.spec.template.spec.containers[0]
  return envFrom.length > 1
}

function templateContainer(text: TemplateText, workload: Resource, container: Tree, bootstrapped: ReadonlySet<string>) {
  const service = serviceOf(workload)
  const variables = container.env as Variable[]
  const names = variables.map(({ name }) => name)
  const env: unknown[] = variables.flatMap((variable) => templateVariable(text, workload, variable, bootstrapped))
  if (workload.kind === 'Job') {
    // A hook runs before the ConfigMaps of its release exist.
    const configMaps = container.envFrom.map(({ configMapRef }: Tree) => configMapRef.name)
    env.push(
      text.lines(
        `{{- include "notify.configured" (list $ "${service}" (list ${quoted(configMaps)})) | nindent $indent }}`,
      ),
    )
    delete container.envFrom
  }
  const known = quoted(names)
  env.push(text.lines(`{{- include "notify.extraVariables" (list $ "${service}" (list ${known})) | nindent $indent }}`))
  container.env = env
}

function templateVariable(
  text: TemplateText,
  workload: Resource,
  { name, value, valueFrom }: Variable,
  bootstrapped: ReadonlySet<string>,
): unknown {
  if (name === 'BOOTSTRAP_FILE' && bootstrapped.has(workload.metadata.name)) {
    return text.lines('{{- if $.Values.bootstrap.enabled }}', `- name: ${name}`, `  value: ${value}`, '{{- end }}')
  }
  const { secretKeyRef: secret, configMapKeyRef: configMap } = valueFrom ?? {}
  if (name === 'NATS_USER') {
    const service = serviceOf(workload)
    return text.lines(`{{- include "notify.natsLogin" (list $ "${service}" "${value}") | nindent $indent }}`)
  }
  if (name === 'NATS_PASSWORD') return []
  if (secret && !secret.optional) {
    return text.lines(`{{- include "notify.secretVariable" (list $ "${name}" "${secret.name}") | nindent $indent }}`)
  }
  if (secret) return { name, valueFrom }
  if (name === 'PRINCIPAL_JWKS') return text.lines('{{- include "notify.principalJwks" $ | nindent $indent }}')
  if (configMap && workload.kind === 'Job') {
    const key = `(index $.Values.configMaps "${configMap.name}").${configMap.key}`
    return { name, value: text.value(`${key} | quote`) }
  }
  if (configMap || fixedVariables.includes(name)) return { name, value, ...(valueFrom ? { valueFrom } : {}) }
  const own = `index $.Values.services "${serviceOf(workload)}" "env"`
  return { name, value: text.value(`get (${own}) "${name}" | default "${value}" | quote`) }
}

function templateVolumes(text: TemplateText, pod: Tree, secrets: string[], isBootstrapped: boolean): void {
  const [container] = pod.containers
  const optional = (list: Tree[], lines: string[]) =>
    list.map((each) =>
      each.name === 'bootstrap' && isBootstrapped
        ? text.lines('{{- if $.Values.bootstrap.enabled }}', ...lines, '{{- end }}')
        : each,
    )
  container.volumeMounts = [
    ...optional(container.volumeMounts, ['- name: bootstrap', '  mountPath: /etc/notify', '  readOnly: true']),
    text.lines(`{{- include "notify.secretMounts" (list $ (list ${quoted(secrets)})) | nindent $indent }}`),
  ]
  const bootstrap = pod.volumes.find(({ name }: { name: string }) => name === 'bootstrap')
  pod.volumes = [
    ...optional(pod.volumes, [
      '- name: bootstrap',
      '  secret:',
      `    secretName: ${bootstrap?.secret.secretName ?? ''}`,
    ]),
    text.lines(`{{- include "notify.secretVolumes" (list $ (list ${quoted(secrets)})) | nindent $indent }}`),
  ]
}

/** The Secrets whose keys a workload must have. */
function secretsOf(workload: Resource): string[] {
  const { env = [] } = workload.spec.template.spec.containers[0]
  const names = (env as Variable[]).flatMap(({ valueFrom }) => {
    const secret = valueFrom?.secretKeyRef
    return secret && !secret.optional ? [secret.name as string] : []
  })
  return [...new Set(names)]
}

/** Another key at the position of one that goes. */
function replaceKey(tree: Tree, key: string, replacement: string, value: unknown = null): void {
  const entries = Object.entries(tree).map(([name, old]) => (name === key ? [replacement, value] : [name, old]))
  for (const name of Object.keys(tree)) delete tree[name]
  Object.assign(tree, Object.fromEntries(entries))
}
