import type { Resource } from '../../scripts/render-kustomization.ts'
import { configurationOf, environmentOf, ofKind } from './manifests.ts'

/** The most replicas that an autoscaler, or else the Deployment, asks for. */
function replicasOf(deployment: Resource, resources: Resource[]): number {
  const { name } = deployment.metadata
  const scalers = [...ofKind(resources, 'HorizontalPodAutoscaler'), ...ofKind(resources, 'ScaledObject')]
  const scaler = scalers.find(({ spec }) => spec.scaleTargetRef.name === name)?.spec
  return scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? deployment.spec.replicas
}

/** A pool and the connection of the probes. */
export function connectionsOf(deployment: Resource): number {
  const given = environmentOf(deployment).find(({ name }) => name === 'DATABASE_POOL_SIZE')?.value
  return (configurationOf(deployment).schema.shape.DATABASE_POOL_SIZE!.parse(given) as number) + 1
}

/** With all Jobs, and a roll-out of everything at once: a Deployment does not count the pods that still drain. */
export function mostConnections(resources: Resource[]): number {
  const servers = ofKind(resources, 'Deployment').map(
    (deployment) => 2 * replicasOf(deployment, resources) * connectionsOf(deployment),
  )
  return servers.reduce((sum, count) => sum + count, ofKind(resources, 'Job').length)
}

/** Of Postgres besides those of the services: reserved ones, replication, backups and an operator's commands. */
export const spareConnections = 25
