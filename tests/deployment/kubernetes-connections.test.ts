import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { renderKustomization } from '../../scripts/render-kustomization.ts'
import { connectionsOf, mostConnections, spareConnections } from './connections.ts'
import { base, ofKind, production } from './manifests.ts'
import { readText, root } from './project.ts'

const withKeda = renderKustomization(join(root, 'k8s/components/keda'), structuredClone(production))

const [, stated, required, statedWithKeda] =
  /takes up to (\d+)\s+connections[\s\S]+?`max_connections = (\d+)`[\s\S]+?\((\d+)\s+with the component `keda`\)/
    .exec(readText('k8s/README.md'))!
    .map(Number)

test('the README states the connections that the overlay takes at most, and a server that has room for them', () => {
  expect(mostConnections(production)).toBe(stated)
  expect(mostConnections(withKeda)).toBe(statedWithKeda)
  expect(required).toBeGreaterThanOrEqual(stated! + spareConnections)
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
