import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { toolPath } from '../../scripts/kubernetes-tools.ts'
import { renderChart } from './chart.ts'
import { mostConnections, spareConnections } from './connections.ts'
import { ofKind } from './manifests.ts'
import { readText } from './project.ts'
import { validateManifest } from './validate-manifest.ts'

const read = (name: string) => parse(readText(`charts/notify/reference/${name}.yaml`))
const describeWithHelm = toolPath('helm') ? describe : describe.skip

describeWithHelm('the reference values of the chart', () => {
  test('render, and lead to the servers of the other files', async () => {
    const resources = renderChart(read('notify'))
    for (const resource of resources) await validateManifest(resource)
    const [shared] = ofKind(resources, 'ConfigMap').filter(({ metadata }) => metadata.name === 'shared')
    expect(shared!.data!.STREAM_REPLICAS).toBe(String(read('nats').config.cluster.replicas))
    const policies = JSON.stringify(ofKind(resources, 'NetworkPolicy'))
    expect(policies).toContain(`"kubernetes.io/metadata.name":"${read('postgres').metadata.namespace}"`)
  })

  test('mount the certificates of Postgres where its URLs name them, in every pod', () => {
    const [, mountPath] = /sslrootcert=(\S+)\/ca\.crt\b/.exec(readText('charts/notify/reference/postgres.yaml'))!
    const resources = renderChart(read('notify'))
    const pods = [...ofKind(resources, 'Deployment'), ...ofKind(resources, 'Job')]
    expect(pods.map(({ metadata }) => metadata.name)).toContain('provision-1-0-0')
    for (const { spec } of pods) {
      const { containers, volumes } = spec.template.spec
      expect(containers[0].volumeMounts).toContainEqual({ name: 'postgres-ca', mountPath, readOnly: true })
      expect(volumes).toContainEqual({ name: 'postgres-ca', configMap: { name: 'postgres-ca' } })
    }
  })

  test('take fewer connections than their Postgres has, also while everything is rolled out', () => {
    const room = Number(read('postgres').spec.postgresql.parameters.max_connections)
    const resources = renderChart(read('notify'))
    expect(ofKind(resources, 'ConfigMap').filter(({ data }) => data?.DATABASE_POOL_SIZE !== undefined)).toEqual([])
    expect(room - mostConnections(resources)).toBeGreaterThanOrEqual(spareConnections)
  })
})

test('Postgres answers a commit when a standby has it, and one standby may be gone', () => {
  const { instances, postgresql, enableSuperuserAccess } = read('postgres').spec
  expect(postgresql.synchronous).toEqual({ method: 'any', number: 1, dataDurability: 'required' })
  expect(instances).toBeGreaterThan(postgresql.synchronous.number + 1)
  expect(enableSuperuserAccess).toBe(true)
})

test('NATS has three servers that sync each message, and the passwords that the users need', () => {
  const { config, container } = read('nats')
  expect(config.cluster).toEqual({ enabled: true, replicas: 3 })
  expect(config.jetstream.merge.sync_interval).toBe('always')
  const users = [...readText('infra/nats/authorization.conf').matchAll(/\$(\w+_NATS_PASSWORD)/g)].map(
    ([, name]) => name,
  )
  expect(Object.keys(container.env).sort()).toEqual([...new Set(users)].sort())
})

test('the store of NATS is full before its volume is', () => {
  const { maxSize, pvc } = read('nats').config.jetstream.fileStore
  const gibibytesOf = (size: string) => Number(/^(\d+)Gi$/.exec(size)?.[1])
  expect(gibibytesOf(maxSize)).toBeLessThanOrEqual(0.9 * gibibytesOf(pvc.size))
})

test('Valkey has replicas, and somebody who promotes one', () => {
  const { replica, auth } = read('valkey')
  expect(replica).toMatchObject({ enabled: true, replicas: 2, sentinel: { enabled: true, quorum: 2 } })
  expect(Object.keys(auth.aclUsers)).toContain(replica.replicationUser)
})
