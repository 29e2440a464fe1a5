import { join } from 'node:path'
import { type Resource, renderKustomization } from '../../scripts/render-kustomization.ts'
import { root, services, type Variables, variablesOf } from './project.ts'

/** k8s/base and the example overlay as kustomize renders them, and the workloads in the base. */
export const base = renderKustomization(join(root, 'k8s/base'))
export const production = renderKustomization(join(root, 'k8s/overlays/production'))
export const deployments = ofKind(base, 'Deployment')
export const jobs = ofKind(base, 'Job')
export const workloads = [...deployments, ...jobs]

/** For test.each. */
export const namedDeployments = deployments.map((deployment) => [deployment.metadata.name, deployment] as const)
export const namedWorkloads = workloads.map((workload) => [workload.metadata.name, workload] as const)

const variables = new Map<string, Variables>()
for (const service of services) variables.set(service, await variablesOf(service))

/** The configuration of the service that a workload belongs to. */
export function configurationOf(workload: Resource): Variables {
  return variables.get(serviceOf(workload))!
}

export function ofKind(resources: Resource[], kind: string): Resource[] {
  return resources.filter((resource) => resource.kind === kind)
}

/** The name of the service that a resource belongs to. */
export function serviceOf({ metadata }: Resource): string {
  return metadata.labels!['app.kubernetes.io/name']!
}

export function podLabels({ spec }: Resource): Record<string, string> {
  return spec.template.metadata.labels
}

export function matches(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}

interface Variable {
  name: string
  value?: string
  valueFrom?: Partial<Record<'secretKeyRef' | 'configMapKeyRef', { name: string; key: string }>>
}

export interface Given {
  name: string
  /** Undefined when the value is the platform's. */
  value?: string
  secret?: string
  configMap?: string
}

/** Every variable that the container of a workload is given, and where it comes from. */
export function environmentOf(workload: Resource): Given[] {
  const { env = [], envFrom = [] } = workload.spec.template.spec.containers[0]
  const data = (name: string) => ofKind(base, 'ConfigMap').find(({ metadata }) => metadata.name === name)?.data
  const all = envFrom.flatMap(({ configMapRef, ...other }: { configMapRef: { name: string } }) => {
    // A whole Secret would hide which variables it brings.
    if (Object.keys(other).length > 0) throw new Error(`${workload.metadata.name}: envFrom takes ConfigMaps only`)
    return Object.entries(data(configMapRef.name) ?? {}).map(([name, value]) => ({ name, value }))
  })
  const single = env.map(({ name, value, valueFrom: { secretKeyRef, configMapKeyRef } = {} }: Variable): Given => {
    if (secretKeyRef) return { name, secret: secretKeyRef.name }
    if (!configMapKeyRef) return { name, value: value ?? '' }
    const found = data(configMapKeyRef.name)?.[configMapKeyRef.key]
    return { name, configMap: configMapKeyRef.name, ...(found === undefined ? {} : { value: found }) }
  })
  return [...all, ...single]
}
