import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { renderKustomization } from '../../scripts/render-kustomization.ts'
import {
  base,
  configurationOf,
  deployments,
  environmentOf,
  namedWorkloads,
  ofKind,
  serviceOf,
  workloads,
} from './manifests.ts'
import { faultOf, readText, root, services } from './project.ts'

test.each(services)('%s has servers, an address, a disruption budget and a migration', (service) => {
  const own = base.filter((resource) => serviceOf(resource) === service)
  const kinds = own.map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['Deployment', 'Service', 'PodDisruptionBudget', 'Job']))
  for (const { spec } of own.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')) {
    expect(spec.template.spec.containers.map(({ image }: { image: string }) => image.split(':')[0])).toEqual([
      `registry.example.com/notify/${service}`,
    ])
  }
})

test('nothing is deployed that is no service', () => {
  expect([...new Set(workloads.map(serviceOf))].sort()).toEqual(services)
})

test('dispatch accepts and sends in different pods', () => {
  const roles = deployments
    .filter((deployment) => serviceOf(deployment) === 'dispatch')
    .map((deployment) => [
      deployment.metadata.name,
      environmentOf(deployment).find(({ name }) => name === 'ROLE')?.value,
    ])
  expect(roles).toEqual([
    ['dispatch-api', 'api'],
    ['dispatch-worker', 'worker'],
    ['dispatch-sender', 'sender'],
  ])
})

test.each(services)('%s can be rendered alone', (service) => {
  const alone = renderKustomization(join(root, 'k8s/base', service))
  expect(alone.every((resource) => serviceOf(resource) === service)).toBe(true)
})

test.each(namedWorkloads)(
  '%s is given every variable that it requires, and none that it does not know',
  (_name, workload) => {
    const { known, required } = configurationOf(workload)
    const given = environmentOf(workload).map(({ name }) => name)
    expect({
      missing: required.filter((name) => !given.includes(name)),
      unknown: given.filter((name) => !known.includes(name)),
      twice: given.filter((name, i) => given.indexOf(name) !== i),
    }).toEqual({ missing: [], unknown: [], twice: [] })
  },
)

test.each(namedWorkloads)('%s accepts the values that are written down', (_name, workload) => {
  const own = configurationOf(workload)
  const faults = environmentOf(workload).flatMap(({ name, value }) =>
    value === undefined ? [] : (faultOf(own, name, value) ?? []),
  )
  expect(faults).toEqual([])
})

test('only the gateway holds the key that signs principals', () => {
  const holders = workloads.filter((workload) =>
    environmentOf(workload).some(({ name }) => name === 'PRINCIPAL_SIGNING_KEY'),
  )
  expect(new Set(holders.map(serviceOf))).toEqual(new Set(['gateway']))
})

test('no service reads the Secret of another', () => {
  const foreign = workloads.flatMap((workload) => {
    const volumes = workload.spec.template.spec.volumes as { secret?: { secretName: string } }[]
    const secrets = [
      ...environmentOf(workload).map(({ secret }) => secret),
      ...volumes.map(({ secret }) => secret?.secretName),
    ]
    const others = services.filter((service) => service !== serviceOf(workload))
    return secrets.filter((secret) => others.some((other) => secret === other || secret?.startsWith(`${other}-`)))
  })
  expect(foreign).toEqual([])
})

test('credentials come from Secrets', () => {
  const secret =
    /^(DATABASE_URL|REDIS_URL|ENCRYPTION_KEYS|.*_SIGNING_KEY|.*_INDEX_KEY|FINGERPRINT_KEY|.*_(TOKEN|SECRET|PASSWORD))$/
  const open = workloads.flatMap((workload) =>
    environmentOf(workload).filter(({ name, secret: from }) => secret.test(name) && !from),
  )
  expect(open).toEqual([])
  expect(ofKind(base, 'Secret')).toEqual([])
})

test('the README names every Secret and ConfigMap that the platform has to make, with its keys', () => {
  const readme = readText('k8s/README.md')
  const made = ofKind(base, 'ConfigMap').map(({ metadata }) => metadata.name)
  const needed = workloads.flatMap((workload) => {
    const { volumes } = workload.spec.template.spec as { volumes: { secret?: { secretName: string } }[] }
    const variables = environmentOf(workload).filter(
      ({ secret, configMap }) => secret || (configMap && !made.includes(configMap)),
    )
    return [
      ...variables.flatMap(({ name, secret, configMap }) => [name, secret ?? configMap]),
      ...volumes.flatMap(({ secret }) => secret?.secretName ?? []),
    ]
  })
  expect([...new Set(needed)].filter((word) => !readme.includes(`\`${word}\``))).toEqual([])
})

test('addresses of other services are those of Services', () => {
  const addresses = ofKind(base, 'Service').flatMap(({ metadata, spec }) =>
    spec.ports.map(({ port }: { port: number }) => `http://${metadata.name}:${port}`),
  )
  const internal = workloads
    .flatMap(environmentOf)
    .filter(({ name, value }) => name.endsWith('_URL') && /^http:\/\/[a-z-]+(:\d+)?$/.test(value ?? ''))
  expect(internal.filter(({ value }) => !addresses.includes(value!))).toEqual([])
  expect(internal.length).toBeGreaterThan(0)
})

test('the way to rotate keys names a server of every service that keeps something encrypted, with its configuration', () => {
  const ways = [
    ...readText('docs/operations.md').matchAll(/kubectl -n notify exec deploy\/(\S+) -- node main\.mjs rotate-keys/g),
  ].map(([, name]) => deployments.find(({ metadata }) => metadata.name === name)!)
  const encrypting = services.filter(
    (service) => globSync('src/**/encrypted-columns.ts', { cwd: join(root, 'services', service) }).length > 0,
  )
  expect(ways.map(serviceOf).sort()).toEqual(encrypting)
  for (const way of ways) {
    expect(environmentOf(way)).toContainEqual(
      expect.objectContaining({
        name: 'ENCRYPTION_KEYS',
        secret: serviceOf(way) === 'gateway' ? 'gateway' : 'encryption',
      }),
    )
    // The image's entry point is gone with `exec`: node is found by its name, in the folder of the service.
    expect(way.spec.template.spec.containers[0].workingDir).toBeUndefined()
  }
})
