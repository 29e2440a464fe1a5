import { BlockList, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { publicRoutes } from '@notify/contracts/catalogue'
import { isPublicAddress } from '@notify/egress-guard'
import { type Resource, renderKustomization } from '../../scripts/render-kustomization.ts'
import { base, matches, ofKind, podLabels, production, workloads } from './manifests.ts'
import { readText, root } from './project.ts'

const ingresses = ofKind(production, 'Ingress')
const rules = ingresses.flatMap(({ spec }) => spec.rules[0].http.paths)

test('the stream, the inbox and callbacks go straight to their owners, everything else to the gateway', () => {
  const paths = rules.map(({ path, pathType, backend }) => [path, pathType, backend.service.name])
  expect(paths.sort()).toEqual([
    ['/', 'Prefix', 'gateway'],
    ['/api/v1/callbacks', 'Prefix', 'callbacks'],
    ['/api/v1/in-app/stream', 'Prefix', 'inbox-stream'],
    ['/api/v1/inbox', 'Prefix', 'inbox-stream'],
  ])
  for (const { backend } of rules) {
    const service = ofKind(base, 'Service').find(({ metadata }) => metadata.name === backend.service.name)!
    const ports = service.spec.ports.map(({ name }: { name: string }) => name)
    expect(ports).toContain(backend.service.port.name)
  }
})

test('every host has TLS', () => {
  for (const { spec } of ingresses) {
    const hosts = spec.rules.map(({ host }: { host: string }) => host)
    expect(spec.tls.flatMap((entry: { hosts: string[] }) => entry.hosts)).toEqual(hosts)
  }
})

test('events of the stream are not buffered, and a quiet stream is not cut', () => {
  const stream = ingresses.find(({ spec }) => JSON.stringify(spec).includes('/in-app/stream'))!
  expect(stream.metadata.annotations).toMatchObject({ 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' })
  const seconds = Number(stream.metadata.annotations!['nginx.ingress.kubernetes.io/proxy-read-timeout'])
  expect(seconds).toBeGreaterThanOrEqual(3600)
})

test('the largest body of any public route passes', () => {
  const { metadata } = ingresses.find(({ spec }) => JSON.stringify(spec).includes('/api/v1/callbacks'))!
  const [, mebibytes] = /^(\d+)m$/.exec(metadata.annotations!['nginx.ingress.kubernetes.io/proxy-body-size']!)!
  const largest = Math.max(...publicRoutes().map(({ maxBodyBytes = 0 }) => maxBodyBytes))
  expect(Number(mebibytes) * 1024 * 1024).toBeGreaterThanOrEqual(largest)
  const [, megabytes] = /bodies of (\d+) MB/.exec(readText('k8s/components/ingress/ingress.yaml'))!
  expect(Number(megabytes) * 1_000_000).toBeGreaterThanOrEqual(largest)
})

test('a pod is called by nobody whom no policy names', () => {
  const policies = ofKind(production, 'NetworkPolicy')
  const denying = policies.filter(({ spec }) => spec.policyTypes.includes('Ingress') && !spec.ingress)
  for (const workload of workloads) {
    expect(denying.some(({ spec }) => selects(spec.podSelector, podLabels(workload)))).toBe(true)
  }
  const callers = (workload: Resource) =>
    policies
      .filter(({ spec }) => spec.ingress && selects(spec.podSelector, podLabels(workload)))
      .map(({ metadata }) => metadata.name)
      .sort()
  const found = Object.fromEntries(workloads.map((workload) => [workload.metadata.name, callers(workload)]))
  expect(found).toMatchObject({
    gateway: ['from-ingress', 'metrics-from-monitoring'],
    'dispatch-api': ['dispatch-from-services', 'from-gateway', 'metrics-from-monitoring'],
    'dispatch-worker': ['metrics-from-monitoring'],
    'dispatch-sender': ['metrics-from-monitoring'],
    otp: ['from-gateway', 'metrics-from-monitoring'],
    consent: ['consent-from-dispatch', 'from-gateway', 'metrics-from-monitoring'],
    'inbox-stream': ['from-gateway', 'from-ingress', 'metrics-from-monitoring'],
    callbacks: ['from-gateway', 'from-ingress', 'metrics-from-monitoring'],
    'webhook-delivery': ['from-gateway', 'metrics-from-monitoring'],
  })
  for (const { spec } of policies) for (const rule of spec.ingress ?? []) expect(rule.from.length).toBeGreaterThan(0)
})

test.each([
  ['ingress', 'ingress'],
  ['ingress-nginx', 'ingress-nginx'],
  ['gateway-api', 'gateway-system'],
])('%s lets the pods of %s in to what it leads to, and to nothing else', (name, namespace) => {
  const component = renderKustomization(join(root, 'k8s/components', name))
  const policies = ofKind(component, 'NetworkPolicy')
  expect(policies.map(({ metadata }) => metadata.name)).toEqual(['from-ingress'])
  const [{ spec }] = policies as [Resource]
  expect(spec.ingress).toEqual([
    {
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }],
      ports: [{ port: 'http', protocol: 'TCP' }],
    },
  ])
  const open = workloads.filter((workload) => selects(spec.podSelector, podLabels(workload)))
  const led = component.flatMap(({ kind, spec: { rules } }) => {
    if (kind === 'HTTPRoute')
      return rules.flatMap(({ backendRefs }: { backendRefs: { name: string }[] }) => backendRefs)
    if (kind !== 'Ingress') return []
    return rules[0].http.paths.map((path: { backend: { service: { name: string } } }) => path.backend.service)
  })
  const names = new Set(led.map((backend: { name: string }) => backend.name))
  expect(open.map(({ metadata }) => metadata.name).sort()).toEqual([...names].sort())
  const [route] = ofKind(component, 'HTTPRoute')
  if (route) expect(route.spec.parentRefs[0].namespace).toBe(namespace)
})

test('the base names no way in', () => {
  expect(ofKind(base, 'NetworkPolicy').map(({ metadata }) => metadata.name)).not.toContain('from-ingress')
  expect(JSON.stringify(base)).not.toMatch(/nginx|"ingress"\s*}/)
})

test('callers keep their own addresses behind the ingress controller', () => {
  const { data } = ofKind(production, 'ConfigMap').find(({ metadata }) => metadata.name === 'shared')!
  expect(data!.TRUSTED_PROXIES).toMatch(/^\S+\/\d+$/)
})

const egressTo = (name: string) => {
  const policy = ofKind(base, 'NetworkPolicy').find(({ metadata }) => metadata.name === name)!
  return policy.spec.egress as {
    to: { ipBlock?: { cidr: string; except: string[] } }[]
    ports?: { port: number | string }[]
  }[]
}

test('Postgres is reached directly and by PgBouncer', () => {
  const [, port] = /^listen_port = (\d+)$/m.exec(readText('infra/pgbouncer/pgbouncer.ini'))!
  const ports = egressTo('to-postgres-and-nats').flatMap(({ ports = [] }) => ports.map((each) => each.port))
  expect(ports).toEqual(expect.arrayContaining([5432, Number(port), 4222]))
})

test('no pod calls an address of a private network or of the cloud, which webhooks may not call either', () => {
  const blocks = egressTo('to-internet').flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))
  const denied = new BlockList()
  for (const cidr of blocks.flatMap(({ except }) => except)) {
    const [network, prefix] = cidr.split('/')
    denied.addSubnet(network!, Number(prefix), isIPv6(network!) ? 'ipv6' : 'ipv4')
  }
  const metadata = [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fe80::a9fe:a9fe',
  ]
  const inside = [...metadata, '10.1.2.3', '172.31.0.1', '192.168.1.1', '127.0.0.1', '198.18.0.1', '0.0.0.0']
  const isDenied = (address: string) => denied.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  expect(inside.filter((address) => !isDenied(address))).toEqual([])
  expect(inside.filter(isPublicAddress)).toEqual([])
  expect(['8.8.8.8', '2606:4700:4700::1111'].filter(isDenied)).toEqual([])
})

interface Selector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: 'In' | 'NotIn'; values: string[] }[]
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>): boolean {
  const expressions = matchExpressions.every(
    ({ key, operator, values }) => values.includes(labels[key] ?? '') === (operator === 'In'),
  )
  return matches(matchLabels, labels) && expressions
}
