import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { images } from '@notify/bundle/images'
import { parse } from 'yaml'
import { type Resource, renderKustomization } from '../../scripts/render-kustomization.ts'
import { base, deployments, environmentOf, matches, ofKind, podLabels, production, workloads } from './manifests.ts'
import { readText, root, services } from './project.ts'
import { validateManifest } from './validate-manifest.ts'

/** The API versions in use; a version that Kubernetes has removed, or a slip of the pen, is not among them. */
const knownKinds: Record<string, string> = {
  ConfigMap: 'v1',
  Service: 'v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
  Namespace: 'v1',
}

/** Made by the platform beforehand, as k8s/README.md says. */
const platformConfigMaps = ['principal-jwks']

test('every kind is of the version that Kubernetes serves', () => {
  for (const { kind, apiVersion } of [...base, ...production])
    expect([kind, apiVersion]).toEqual([kind, knownKinds[kind]])
})

test('names are unique, short enough, and nothing fixes a namespace but the overlay', () => {
  const ids = base.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  for (const { metadata } of base) {
    expect(metadata.name).toMatch(/^[a-z]([a-z0-9-]{0,50}[a-z0-9])$/)
    expect(metadata.namespace).toBeUndefined()
  }
  const placed = production.filter(({ kind }) => kind !== 'Namespace').map(({ metadata }) => metadata.namespace)
  expect([...new Set(placed)]).toEqual(ofKind(production, 'Namespace').map(({ metadata }) => metadata.name))
})

test('a Deployment selects its own pods and no others', () => {
  for (const deployment of deployments) {
    const selected = workloads.filter((workload) => matches(deployment.spec.selector.matchLabels, podLabels(workload)))
    expect(selected.map(({ metadata }) => metadata.name)).toEqual([deployment.metadata.name])
  }
})

test('a Service, and a disruption budget, selects the pods of exactly one Deployment', () => {
  for (const { kind, metadata, spec } of [...ofKind(base, 'Service'), ...ofKind(base, 'PodDisruptionBudget')]) {
    const selector = kind === 'Service' ? spec.selector : spec.selector.matchLabels
    const selected = workloads.filter((workload) => matches(selector, podLabels(workload)))
    expect([kind, selected.map((workload) => workload.metadata.name)]).toEqual([kind, [metadata.name]])
  }
  const budgets = ofKind(base, 'PodDisruptionBudget').map(({ metadata }) => metadata.name)
  expect(budgets.sort()).toEqual(deployments.map(({ metadata }) => metadata.name).sort())
})

test('a Service forwards to ports that its pods have', () => {
  for (const { metadata, spec } of ofKind(base, 'Service')) {
    const deployment = deployments.find((candidate) => candidate.metadata.name === metadata.name)!
    const ports = deployment.spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name)
    expect(spec.ports.map(({ name }: { name: string }) => name)).toEqual(['http', 'metrics'])
    for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort)
  }
})

test('mounted volumes and configuration exist', () => {
  const configMaps = [...ofKind(base, 'ConfigMap').map(({ metadata }) => metadata.name), ...platformConfigMaps]
  for (const workload of workloads) {
    const { volumes, containers } = workload.spec.template.spec
    const names = volumes.map(({ name }: { name: string }) => name)
    for (const { name } of containers[0].volumeMounts) expect(names).toContain(name)
    for (const { configMapRef } of containers[0].envFrom) expect(configMaps).toContain(configMapRef.name)
    for (const { configMap } of environmentOf(workload)) if (configMap) expect(configMaps).toContain(configMap)
  }
})

test('a release can apply configuration, migrations and servers one after the other', () => {
  const component = ({ metadata }: Resource) => metadata.labels!['app.kubernetes.io/component']
  for (const resource of base) {
    const { kind, metadata } = resource
    const expected = ['ConfigMap', 'Ingress', 'NetworkPolicy'].includes(kind)
      ? undefined
      : kind === 'Job'
        ? 'migration'
        : expect.stringMatching(/^(server|api|worker|sender)$/)
    expect([metadata.name, component(resource)]).toEqual([metadata.name, expected])
    expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'notify' })
  }
  const wave = ({ metadata }: Resource) => Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0)
  expect(new Set(ofKind(base, 'ConfigMap').map(wave))).toEqual(new Set([-2]))
  expect(new Set(ofKind(base, 'Job').map(wave))).toEqual(new Set([-1]))
})

test('production gives every service, and the provisioning, an image tag of its own, in a registry that nobody can claim', () => {
  const { images: tags } = readKustomization('k8s/overlays/production')
  const expected = [...services, 'provision'].map((name) => `registry.example.com/notify/${name}`)
  expect(tags.map(({ name }) => name).sort()).toEqual(expected.sort())
})

test('production makes roles and streams before the migrations, in a pod that may call the servers', () => {
  const [job] = ofKind(production, 'Job').filter(({ metadata }) => metadata.name === 'provision')
  expect(job!.metadata.annotations).toMatchObject({ 'argocd.argoproj.io/sync-wave': '-2' })
  expect(podLabels(job!)).toMatchObject({ 'app.kubernetes.io/part-of': 'notify' })
  const containers = job!.spec.template.spec.containers as { image: string; args: string[] }[]
  // `secrets.mjs` is for compose: on Kubernetes the platform makes the Secrets.
  const programs = Object.keys(images.provision!.programs).filter((file) => file !== 'secrets.mjs')
  expect(containers.flatMap(({ args }) => args)).toEqual(programs)
  for (const { image } of containers) expect(image).toMatch(/\/notify\/provision:/)
})

test('streams are made with the replicas that the services give theirs', () => {
  const [job] = ofKind(production, 'Job').filter(({ metadata }) => metadata.name === 'provision')
  const [, streams] = job!.spec.template.spec.containers
  const [shared] = ofKind(production, 'ConfigMap').filter(({ metadata }) => metadata.name === 'shared')
  expect(Object.keys(shared!.data!)).toContain('STREAM_REPLICAS')
  expect(streams.env).toEqual([
    { name: 'STREAM_REPLICAS', valueFrom: { configMapKeyRef: { name: 'shared', key: 'STREAM_REPLICAS' } } },
  ])
})

test('the component postgres-ca mounts certificates where the URLs name them, in every pod that connects to Postgres', async () => {
  const [, mountPath] = /sslrootcert=(\S+)\/ca\.crt`/.exec(readText('k8s/README.md'))!
  const rendered = renderKustomization(join(root, 'k8s/components/postgres-ca'), structuredClone(production))
  const pods = [...ofKind(rendered, 'Deployment'), ...ofKind(rendered, 'Job')]
  expect(pods.map(({ metadata }) => metadata.name)).toContain('provision')
  for (const pod of pods) {
    const { containers, volumes } = pod.spec.template.spec
    expect(containers[0].volumeMounts).toContainEqual({ name: 'postgres-ca', mountPath, readOnly: true })
    expect(volumes).toContainEqual({ name: 'postgres-ca', configMap: { name: 'postgres-ca' } })
    await validateManifest(pod)
  }
})

test('production replaces every development value', () => {
  expect(JSON.stringify(production)).not.toContain('api.example.com')
})

function readKustomization(folder: string): { images: { name: string }[] } {
  return parse(readText(`${folder}/kustomization.yaml`)) as { images: { name: string }[] }
}
