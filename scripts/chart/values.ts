// values.yaml: its numbers are those of k8s/base, so that a change there is a change of the chart.
import { type ServiceName, serviceNames } from '@notify/contracts'
import { stringify } from 'yaml'
import type { Resource } from '../render-kustomization.ts'
import { namespaces } from './network.ts'
import { base, component, ofKind } from './workloads.ts'

export interface Scaling {
  by: 'count' | 'cpu' | 'lanes'
  count: number
  min: number
  max: number
  cpuPercent: number
  laneUtilization?: number
}

export interface Process {
  resources: unknown
  scaling: Scaling
}

/** Every Deployment of the base. */
export function processes(): Record<string, Process> {
  const all = base()
  const scalers = ofKind(all, 'HorizontalPodAutoscaler')
  const [like] = scalers as [Resource]
  const lanes = component('keda').filter(({ kind }) => kind === 'ScaledObject')
  const entries = ofKind(all, 'Deployment').map(({ metadata, spec }): [string, Process] => {
    const targets = ({ spec }: Resource) => spec.scaleTargetRef.name === metadata.name
    const byCpu = scalers.find(targets)?.spec
    const byLanes = lanes.find(targets)?.spec
    const min: number = byCpu?.minReplicas ?? byLanes?.minReplicaCount ?? spec.replicas
    const scaling: Scaling = {
      by: byCpu ? 'cpu' : 'count',
      count: spec.replicas ?? min,
      min,
      max: byCpu?.maxReplicas ?? byLanes?.maxReplicaCount ?? like.spec.maxReplicas,
      cpuPercent: like.spec.metrics[0].resource.target.averageUtilization,
      ...(byLanes ? { laneUtilization: Number(byLanes.triggers[0].metadata.threshold) } : {}),
    }
    return [metadata.name, { resources: spec.template.spec.containers[0].resources, scaling }]
  })
  return Object.fromEntries(entries)
}

export function configMaps(): Record<string, Record<string, string>> {
  return Object.fromEntries(ofKind(base(), 'ConfigMap').map(({ metadata, data }) => [metadata.name, data!]))
}

const block = (object: unknown, spaces = 2) =>
  stringify(object, { lineWidth: 0 }).trimEnd().replace(/^/gm, ' '.repeat(spaces))

function image(): string {
  const [first] = ofKind(base(), 'Deployment') as [Resource]
  return first.spec.template.spec.containers[0].image.replace(/\/[^/]+$/, '')
}

/** The text of values.yaml. */
export function valuesText(): string {
  const policies = Object.fromEntries(
    Object.entries(namespaces).map(([name, namespace]) => [name, { namespace, addresses: [] }]),
  )
  const services = Object.fromEntries(serviceNames.map((name: ServiceName) => [name, { env: {} }]))
  const [lane] = component('keda') as [Resource]
  const [server] = ofKind(base(), 'Deployment') as [Resource]
  return `# Generated from k8s/ by \`npm run generate\`: change the manifests, and your values in a file of your own.
image:
  # Name your registry: example.com belongs to nobody.
  registry: ${image()}
  # Empty: the version of the chart.
  tag: ""
  # Of one image, where it is released alone: {otp: 1.0.1}.
  tags: {}
  # What was scanned and signed runs, and nothing else: {otp: "sha256:…"}.
  digests: {}
  pullPolicy: IfNotPresent
  pullSecrets: []

# Variables that several services read. Each value is a text.
configMaps:
${block(configMaps())}

# Public halves of the signing keys, a JWKS. Empty: the key PRINCIPAL_JWKS of a ConfigMap \`principal-jwks\` that you make.
principalJwks: ""

# Further variables of a service, its migration included. The schema knows their names; each value is a text.
services:
${block(services)}

# \`scaling.by\`: count (of replicas), cpu (an autoscaler between min and max), or lanes (KEDA, by the use of the lanes' rates; only what
# has a \`laneUtilization\`). Each replica takes DATABASE_POOL_SIZE + 1 connections of Postgres, twice in a rollout.
processes:
${block(processes())}

secrets:
  # files: each key is a file that NAME_FILE names. variables: each key is a variable of the process, which \`kubectl exec -- env\` shows.
  # Variables in any case: optional keys of the services' Secrets, and the Secret of the Job \`provision\`.
  as: files
  externalSecrets:
    enabled: false
    store: { kind: ClusterSecretStore, name: "" }
    refreshInterval: 1h
    # The store has one entry for each Secret, such as notify/gateway, with its keys.
    keyPrefix: notify/

nats:
  # password: the keys NATS_PASSWORD of the Secrets, and NATS_USER of \`provision\`. credentials: files, their keys NATS_CREDS.
  login: password

# The Secrets gateway-bootstrap, dispatch-bootstrap and inbox-stream-bootstrap, which are read at every start.
bootstrap:
  enabled: false

# The Job that makes database, roles, schemas and streams. It reads the Secret \`provision\`.
provision:
  enabled: true

ingress:
  # none, ingress (any controller), ingress-nginx, or gateway-api.
  by: none
  host: api.example.com
  tlsSecret: api-tls
  className: ""
  # Of the controller's pods. Empty: \`ingress\`, \`ingress-nginx\`, or that of the Gateway.
  namespace: ""
  annotations: {}
  # The stream of events must not be buffered, nor cut after a minute.
  streamAnnotations: {}
  gateway: { name: public, namespace: gateway-system, sectionName: https }

networkPolicies:
  enabled: true
  # Namespaces of what pods call, and CIDRs of servers outside of the cluster.
${block(policies)}
  # Further rules for what may call the internet, such as a proxy in a private network.
  extraEgress: []

disruptionBudgets:
  enabled: true

monitoring:
  # Where KEDA asks for the use of the lanes.
  prometheus: ${lane.spec.triggers[0].metadata.serverAddress}
  podMonitor: { enabled: false, labels: {} }
  # \`runbooks\` replaces the host of every alert's runbook_url.
  rules: { enabled: false, labels: {}, runbooks: "https://runbooks.example.com" }
  dashboards: { enabled: false, labels: { grafana_dashboard: "1" } }

pods:
  nodeSelector: {}
  tolerations: []
  priorityClassName: ""
  # More than DRAIN_DELAY plus SHUTDOWN_TIMEOUT.
  terminationGracePeriodSeconds: ${server.spec.template.spec.terminationGracePeriodSeconds}
  # Also of the Jobs. For certificates: NATS_CA_FILE, REDIS_CA_FILE, and \`sslrootcert\` in DATABASE_URL.
  extraVolumes: []
  extraVolumeMounts: []
`
}
