import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { runTool } from '../../scripts/kubernetes-tools.ts'
import type { Resource } from '../../scripts/render-kustomization.ts'
import { root } from './project.ts'

export const chartFolder = join(root, 'charts/notify')

export interface Values {
  [name: string]: unknown
}

/** What Helm says to values, by its exit code and standard error. */
export function helmTemplate(values: Values, ...options: string[]) {
  const args = ['template', 'notify', chartFolder, '--namespace', 'notify', '--values', '-', ...options]
  return runTool('helm', args, stringify(values))
}

/** Renders the chart with Helm. @throws Error with what Helm says */
export function renderChart(values: Values = {}, ...options: string[]): Resource[] {
  const { status, stdout, stderr } = helmTemplate(values, ...options)
  if (status !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors[0]} in\n${document.toString()}`)
    return (document.toJS() as Resource | null) ?? []
  })
}

/** A resource as k8s/ has it: without what only Helm needs. */
export function withoutChart(resource: Resource): Resource {
  const { labels = {}, annotations = {}, ...metadata } = structuredClone(resource.metadata)
  const kept = Object.entries(labels).filter(([name]) => !/^helm\.sh|\/(instance|managed-by)$/.test(name))
  const plain = structuredClone({ ...resource, metadata: { ...metadata, labels: Object.fromEntries(kept) } })
  const described = Object.entries(annotations).filter(([name]) => !/^(helm\.sh|argocd\.)/.test(name))
  if (described.length > 0) Object.assign(plain.metadata, { annotations: Object.fromEntries(described) })
  const template = plain.spec?.template
  delete template?.metadata.annotations
  for (const container of template?.spec.containers ?? []) delete container.imagePullPolicy
  delete plain.metadata.namespace
  return plain
}

export interface Container {
  env: { name: string; value?: string; valueFrom?: object }[]
  envFrom?: { configMapRef: { name: string } }[]
  volumeMounts: { mountPath: string }[]
}

export const containerOf = ({ spec }: Resource) => spec.template.spec.containers[0] as Container

/** The resource whose kind and name begin so, such as `Job/otp-migration`. */
export const named = (resources: Resource[], id: string) =>
  resources.find(({ kind, metadata }) => `${kind}/${metadata.name}`.startsWith(id))!

/** Deployments and migrations with their service. */
export function workloadsOf(resources: Resource[]): { service: string; workload: Resource }[] {
  return resources.flatMap((workload) => {
    const service = workload.metadata.labels?.['app.kubernetes.io/name'] ?? ''
    return /^(Deployment|Job)$/.test(workload.kind) && service !== 'provision' ? [{ service, workload }] : []
  })
}
