import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type Resource, renderKustomization } from '../../scripts/render-kustomization.ts'
import { base, configurationOf, environmentOf, ofKind, production } from './manifests.ts'
import { readText, root } from './project.ts'

const withKeda = renderKustomization(join(root, 'k8s/components/keda'), structuredClone(production))

/** The most replicas that an autoscaler, or else the Deployment, asks for. */
function replicasOf(deployment: Resource, resources: Resource[]): number {
  const { name } = deployment.metadata
  const scalers = [...ofKind(resources, 'HorizontalPodAutoscaler'), ...ofKind(resources, 'ScaledObject')]
  const scaler = scalers.find(({ spec }) => spec.scaleTargetRef.name === name)?.spec
  return scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? deployment.spec.replicas
}

/** A pool and the connection of the probes. */
function connectionsOf(deployment: Resource): number {
  const given = environmentOf(deployment).find(({ name }) => name === 'DATABASE_POOL_SIZE')?.value
  return (configurationOf(deployment).schema.shape.DATABASE_POOL_SIZE!.parse(given) as number) + 1
}

/** With all migrations, and a roll-out of everything at once. */
function mostConnections(resources: Resource[]): number {
  const servers = ofKind(resources, 'Deployment').map((deployment) => {
    const { maxSurge } = deployment.spec.strategy.rollingUpdate
    return (replicasOf(deployment, resources) + maxSurge) * connectionsOf(deployment)
  })
  return servers.reduce((sum, count) => sum + count, ofKind(resources, 'Job').length)
}

const [, stated, required, statedWithKeda] =
  /takes up to (\d+)\s+connections[\s\S]+?`max_connections = (\d+)`[\s\S]+?\((\d+)\s+with the component `keda`\)/
    .exec(readText('k8s/README.md'))!
    .map(Number)

test('the README states the connections that the overlay takes at most, and a server that has room for them', () => {
  expect(mostConnections(production)).toBe(stated)
  expect(mostConnections(withKeda)).toBe(statedWithKeda)
  // Reserved ones, replication, backups and an operator's commands.
  expect(required).toBeGreaterThanOrEqual(stated! + 25)
})

test('no ConfigMap of the overlay changes the size of the pools', () => {
  const sizes = ofKind(production, 'ConfigMap').filter(({ data }) => data?.DATABASE_POOL_SIZE !== undefined)
  expect(sizes).toEqual([])
})

test('two replicas of each process take what docs/scale.md says', () => {
  const deployments = ofKind(base, 'Deployment')
  const [, count] = /\d+ × \d+ = \*\*(\d+)\*\* without a\s+pooler/.exec(readText('docs/scale.md'))!
  expect(deployments.reduce((sum, deployment) => sum + 2 * connectionsOf(deployment), 0)).toBe(Number(count))
})
