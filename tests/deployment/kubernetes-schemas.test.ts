import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { mintApiKey } from '@notify/privacy'
import { cellConfig, loadConfig } from '@notify/service-kit'
import { z } from 'zod'
import { renderKustomization } from '../../scripts/render-kustomization.ts'
import { metricsIn } from './exported-metrics.ts'
import { base, environmentOf, ofKind, production } from './manifests.ts'
import { root } from './project.ts'
import { validateManifest } from './validate-manifest.ts'

const component = (name: string) => renderKustomization(join(root, 'k8s/components', name))
/** The way in and the name of one cell, on top of the base. */
const cell = renderKustomization(
  join(root, 'k8s/components/cells'),
  base.map((each) => structuredClone(each)),
)
const components = [
  ...['ingress-nginx', 'ingress', 'gateway-api', 'keda'].flatMap(component),
  ...ofKind(cell, 'HTTPRoute'),
]

test.each([...production, ...components].map((resource) => [resource.kind, resource.metadata.name, resource] as const))(
  '%s %s fits its schema',
  async (_kind, _name, resource) => {
    await validateManifest(resource)
  },
)

test('a resource that does not fit its schema is refused', async () => {
  const [policy] = ofKind(production, 'NetworkPolicy')
  await expect(validateManifest({ ...policy!, spec: { podSelector: 7 } })).rejects.toThrow('podSelector')
})

test('the base needs no ingress controller, and a Gateway leads to the same services as the Ingress', () => {
  expect(ofKind(base, 'Ingress')).toEqual([])
  const [route] = ofKind(component('gateway-api'), 'HTTPRoute')
  const byRoute = route!.spec.rules.map(
    (rule: { matches: { path: { value: string } }[]; backendRefs: { name: string }[] }) =>
      `${rule.matches[0]!.path.value} ${rule.backendRefs[0]!.name}`,
  )
  const byIngress = ofKind(component('ingress-nginx'), 'Ingress').flatMap(({ spec }) =>
    spec.rules[0].http.paths.map(
      (path: { path: string; backend: { service: { name: string } } }) => `${path.path} ${path.backend.service.name}`,
    ),
  )
  expect(byRoute.sort()).toEqual(byIngress.sort())
})

test.each([
  ['gateway-api', component('gateway-api')],
  ['cells', cell],
])('%s has no limit of time for streams and for the exports of the gateway', (_name, resources) => {
  const rules = ofKind(resources, 'HTTPRoute').flatMap(({ spec }) => spec.rules)
  const long = rules.filter(
    ({ matches, backendRefs }) => backendRefs[0].name === 'gateway' || matches[0].path.value.endsWith('/in-app/stream'),
  )
  expect(long.length).toBeGreaterThanOrEqual(2)
  for (const { timeouts } of long) expect(timeouts).toEqual({ request: '0s', backendRequest: '0s' })
})

test('KEDA scales a Deployment that no other autoscaler owns, by the use of the lanes that it sends', () => {
  const owned = ofKind(base, 'HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)
  const scaled = component('keda')
  expect(scaled.map(({ spec }) => spec.scaleTargetRef.name).sort()).toEqual(['dispatch-sender', 'dispatch-worker'])
  const [namespace] = ofKind(production, 'Namespace')
  for (const { spec } of scaled) {
    const { name } = spec.scaleTargetRef
    expect(owned).not.toContain(name)
    const deployment = ofKind(base, 'Deployment').find(({ metadata }) => metadata.name === name)!
    const sent = environmentOf(deployment)
      .find((given) => given.name === 'LANES')!
      .value!.split(',')
    const { query } = spec.triggers[0].metadata
    expect(metricsIn(query)).toEqual(['notify_lane_utilization'])
    expect(/lane=~"([^"]+)"/.exec(query)?.[1]?.split('|')).toEqual(sent)
    // KEDA before 2.18 refuses one for a metric of the type Value; without it the number of replicas stays.
    expect(spec).not.toHaveProperty('fallback')
    expect(query).toContain(`{namespace="${namespace!.metadata.name}",`)
  }
})

test('beside KEDA no manifest says how many replicas there are', () => {
  const rendered = renderKustomization(
    join(root, 'k8s/components/keda'),
    base.map((each) => structuredClone(each)),
  )
  const scaled = ofKind(rendered, 'ScaledObject').map(({ spec }) => spec.scaleTargetRef.name)
  const numbered = ofKind(rendered, 'Deployment').filter(({ spec }) => 'replicas' in spec)
  expect(scaled.filter((name) => numbered.some(({ metadata }) => metadata.name === name))).toEqual([])
})

test('pods are held to the restricted profile', () => {
  const [namespace] = ofKind(production, 'Namespace')
  expect(namespace!.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' })
  const [denying] = ofKind(base, 'NetworkPolicy').filter(({ spec }) => !spec.ingress && !spec.egress)
  expect(denying!.spec.policyTypes).toEqual(['Ingress', 'Egress'])
})

test('a cell is named everywhere alike: in its configuration, its addresses, and the keys that lead to it', () => {
  const dataOf = (name: string) => ofKind(cell, 'ConfigMap').find(({ metadata }) => metadata.name === name)!.data!
  const { CELL, CELLS } = loadConfig(z.object(cellConfig), dataOf('shared'))
  const url = new URL(dataOf('public-address').PUBLIC_URL!)
  expect(CELLS.get(CELL!)).toBe(url.href)
  const [route] = ofKind(cell, 'HTTPRoute')
  const [open] = ofKind(component('gateway-api'), 'HTTPRoute')
  expect(route!.spec).toMatchObject({ hostnames: [url.hostname], parentRefs: open!.spec.parentRefs })
  type Rule = { matches: { path: { value: string }; headers?: { value: string }[] }[]; backendRefs: { name: string }[] }
  const rules = route!.spec.rules as Rule[]
  // Below its path a cell leads to the same services as without cells.
  const below = rules.filter(({ matches }) => !matches[0]!.headers)
  const led = (all: Rule[]) => all.map(({ matches, backendRefs }) => [matches[0]!.path.value, backendRefs[0]!.name])
  const unnamed = led(open!.spec.rules).map(([path, name]) => [url.pathname + (path === '/' ? '' : path), name])
  expect(led(below)).toEqual(unnamed)
  const ofKeys = new RegExp(
    `^${rules.find(({ matches }) => matches[0]!.headers)!.matches[0]!.headers![0]!.value.replace('(?i:bearer)', '[Bb]earer')}$`,
  )
  const keyId = 'key_01jd3x8qk5w9t2m4v6b8n0p2r4'
  const leads = (cellOfKey?: string) => ofKeys.test(`Bearer ${mintApiKey('test', keyId, cellOfKey).apiKey}`)
  expect([leads(CELL), leads('us1'), leads('eu12'), leads()]).toEqual([true, false, false, false])
})
