import type { Resource } from '../../scripts/render-kustomization.ts'

interface Model {
  validate(): void
}

/** Libraries of schemas by the group of a resource; those of Kubernetes itself are in `kubernetes-models`. */
const libraries: Record<string, string> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'external-secrets.io': '@kubernetes-models/external-secrets',
}

/** Judges a resource by the schema that the API server publishes for it. @throws Error naming the field */
export async function validateManifest(resource: Resource): Promise<void> {
  const { apiVersion, kind } = resource
  const library = libraries[apiVersion.split('/')[0]!] ?? 'kubernetes-models'
  const models = (await import(`${library}/${apiVersion}`)) as Record<string, new (resource: Resource) => Model>
  // What was rendered, without the fields that only our renderer adds.
  new models[kind]!(JSON.parse(JSON.stringify(resource))).validate()
}
