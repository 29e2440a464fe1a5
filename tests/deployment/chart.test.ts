import { describe, expect, test } from '@jest/globals'
import { runTool, toolPath } from '../../scripts/kubernetes-tools.ts'
import type { Resource } from '../../scripts/render-kustomization.ts'
import {
  type Container,
  chartFolder,
  containerOf,
  helmTemplate,
  named,
  renderChart,
  type Values,
  withoutChart,
} from './chart.ts'
import { ofKind, production } from './manifests.ts'
import { services, variablesOf } from './project.ts'
import { validateManifest } from './validate-manifest.ts'

/** The values that say what k8s/overlays/production says. */
const likeOverlay: Values = {
  configMaps: Object.fromEntries(ofKind(production, 'ConfigMap').map(({ metadata, data }) => [metadata.name, data])),
  processes: Object.fromEntries(
    ofKind(production, 'Deployment').map(({ metadata, spec }) => {
      const scaler = ofKind(production, 'HorizontalPodAutoscaler').find(
        (each) => each.spec.scaleTargetRef.name === metadata.name,
      )
      const scaling = scaler
        ? { by: 'cpu', min: scaler.spec.minReplicas, max: scaler.spec.maxReplicas }
        : { count: spec.replicas }
      return [metadata.name, { scaling }]
    }),
  ),
  secrets: { as: 'variables' },
  bootstrap: { enabled: true },
  ingress: { by: 'ingress-nginx', host: 'notify.example.com' },
}

const store = { kind: 'SecretStore', name: 'vault' }
const switches: Record<string, Values> = {
  'as it comes': {},
  'the overlay': likeOverlay,
  'a cell by its path': {
    configMaps: {
      shared: { CELL: 'eu1', CELLS: 'eu1=https://api.example.com/cells/eu1' },
      'public-address': { PUBLIC_URL: 'https://api.example.com/cells/eu1' },
    },
  },
  'KEDA for what sends': {
    processes: {
      'dispatch-worker': { scaling: { by: 'lanes' } },
      'dispatch-sender': { scaling: { by: 'lanes', max: 6 } },
    },
  },
  'autoscalers for all': {
    processes: Object.fromEntries(
      ofKind(production, 'Deployment').map(({ metadata }) => [metadata.name, { scaling: { by: 'cpu' } }]),
    ),
  },
  'External Secrets': { secrets: { externalSecrets: { enabled: true, store } }, bootstrap: { enabled: true } },
  'a Gateway': { ingress: { by: 'gateway-api', gateway: { name: 'edge', namespace: 'edge', sectionName: 'https' } } },
  'another controller': {
    ingress: {
      by: 'ingress',
      className: 'haproxy',
      namespace: 'haproxy',
      streamAnnotations: { 'haproxy.org/timeout-server': '1h' },
    },
  },
  'everything of Prometheus': {
    monitoring: { podMonitor: { enabled: true }, rules: { enabled: true }, dashboards: { enabled: true } },
  },
  'without what is optional': {
    provision: { enabled: false },
    networkPolicies: { enabled: false },
    disruptionBudgets: { enabled: false },
  },
  'credentials files of NATS': { nats: { login: 'credentials' }, secrets: { as: 'variables' } },
  'pods of their own kind': {
    principalJwks: '{"keys":[]}',
    image: { pullSecrets: ['registry'], digests: { otp: `sha256:${'0a'.repeat(32)}` } },
    services: { otp: { env: { LOG_LEVEL: 'debug', DRAIN_DELAY: '10s' } } },
    networkPolicies: {
      postgres: { addresses: ['10.1.2.3/32'] },
      extraEgress: [{ to: [{ ipBlock: { cidr: '10.9.0.1/32' } }] }],
    },
    pods: {
      terminationGracePeriodSeconds: 90,
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'notify', operator: 'Exists' }],
      priorityClassName: 'high',
      extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }],
    },
  },
}

const byId = (resources: Resource[]) =>
  Object.fromEntries(resources.map((each) => [`${each.kind}/${each.metadata.name}`, withoutChart(each)]))

const rendered = new Map<string, Resource[]>()
function render(name: string): Resource[] {
  if (!rendered.has(name)) rendered.set(name, renderChart(switches[name]))
  return rendered.get(name)!
}

const describeWithHelm = toolPath('helm') ? describe : describe.skip

describeWithHelm('the chart', () => {
  test('passes the lint of Helm', () => {
    const { status, stdout } = runTool('helm', ['lint', '--strict', chartFolder])
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('0 chart(s) failed') })
  })

  test.each(Object.keys(switches))('%s: fits the schemas of Kubernetes and of the operators', async (name) => {
    const resources = render(name)
    for (const resource of resources) await validateManifest(resource)
    const ids = resources.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
    for (const workload of resources.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')) {
      const names = containerOf(workload).env?.map((variable) => variable.name) ?? []
      expect([workload.metadata.name, names.filter((each, i) => names.indexOf(each) !== i)]).toEqual([
        workload.metadata.name,
        [],
      ])
    }
  })

  test('with the values of the overlay it is what kustomize makes of the overlay', () => {
    const isCompared = ({ kind }: Resource) => kind !== 'Job' && kind !== 'Namespace'
    const overlay = production.filter(isCompared).map(({ data, spec, ...each }) => ({
      ...each,
      ...(data ? { data } : {}),
      ...(spec ? { spec } : {}),
    }))
    const chart = render('the overlay').filter(isCompared)
    expect(byId(chart)).toEqual(byId(overlay as Resource[]))
  })

  test('migrations read what the servers read, and are made again by every release', () => {
    const resources = render('the overlay')
    for (const job of ofKind(production, 'Job')) {
      const found = named(resources, `Job/${job.metadata.name}-1-0-0`)
      expect(found.metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
      })
      // Flux and Argo CD would make a Job again that its time to live has removed.
      expect(found.spec.ttlSecondsAfterFinished).toBeUndefined()
      expect(containerOf(found)).not.toHaveProperty('envFrom.0.configMapRef')
    }
    const [server, migration] = ['Deployment/gateway', 'Job/gateway-migration'].map((id) =>
      containerOf(named(resources, id)),
    )
    const config = Object.keys(named(resources, 'ConfigMap/gateway').data!)
    const shared = Object.keys(named(resources, 'ConfigMap/shared').data!)
    const servers = ['MIGRATE_ON_START', 'BOOTSTRAP_FILE']
    const names = [...server!.env.map(({ name }) => name), ...config, ...shared].filter(
      (name) => !servers.includes(name),
    )
    expect(migration!.env.map(({ name }) => name).sort()).toEqual(names.sort())
  })

  test('a long delay before the drain has its time, and every container the certificates', () => {
    const pods = render('pods of their own kind').filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    expect(pods.map(({ metadata }) => metadata.name)).toContain('provision-1-0-0')
    for (const { kind, metadata, spec } of pods) {
      const { volumes, containers, terminationGracePeriodSeconds } = spec.template.spec
      if (kind === 'Deployment') expect(terminationGracePeriodSeconds).toBe(90)
      const mounts = containers.map(({ volumeMounts = [] }: Partial<Container>) => volumeMounts)
      expect([metadata.name, volumes]).toContainEqual(
        expect.arrayContaining([{ name: 'ca', configMap: { name: 'ca' } }]),
      )
      for (const each of mounts) expect(each).toContainEqual({ name: 'ca', mountPath: '/etc/ca' })
    }
  })

  test('secrets are files, which only the pod of the service has', () => {
    const { env, volumeMounts } = containerOf(named(render('as it comes'), 'Deployment/otp'))
    expect(env).toContainEqual({ name: 'DATABASE_URL_FILE', value: '/run/secrets/notify/otp/DATABASE_URL' })
    expect(env).toContainEqual({
      name: 'ENCRYPTION_KEYS_FILE',
      value: '/run/secrets/notify/encryption/ENCRYPTION_KEYS',
    })
    const mounted = volumeMounts.flatMap(({ mountPath }) => (mountPath.startsWith('/run/secrets') ? mountPath : []))
    expect(mounted).toEqual(['/run/secrets/notify/otp', '/run/secrets/notify/encryption'])
    const files = env.flatMap(({ name, value }) => (name.endsWith('_FILE') ? value! : []))
    expect(files.filter((file) => !mounted.some((folder) => file.startsWith(`${folder}/`)))).toEqual([])
  })

  test.each(services)(
    '%s is given every variable that it requires, and none that it does not know',
    async (service) => {
      const { known, required } = await variablesOf(service)
      const resources = render('as it comes')
      const workloads = resources.filter(
        ({ kind, metadata }) => /Deployment|Job/.test(kind) && metadata.labels!['app.kubernetes.io/name'] === service,
      )
      expect(workloads.length).toBeGreaterThan(1)
      for (const workload of workloads) {
        const { env, envFrom = [] } = containerOf(workload)
        const shared = envFrom.flatMap(({ configMapRef }) =>
          Object.keys(named(resources, `ConfigMap/${configMapRef.name}`).data!),
        )
        const given = [...shared, ...env.map(({ name }) => (known.includes(name) ? name : name.replace(/_FILE$/, '')))]
        expect({
          name: workload.metadata.name,
          missing: required.filter((name) => !given.includes(name)),
          unknown: given.filter((name) => !known.includes(name)),
        }).toEqual({ name: workload.metadata.name, missing: [], unknown: [] })
      }
    },
  )

  test.each(Object.keys(switches))('%s: no Deployment has two that change its replicas', (name) => {
    const resources = render(name)
    const scaled = resources.flatMap(({ kind, spec }) =>
      kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject' ? (spec.scaleTargetRef.name as string) : [],
    )
    const numbered = ofKind(resources, 'Deployment').flatMap(({ metadata, spec }) =>
      'replicas' in spec ? metadata.name : [],
    )
    const all = ofKind(resources, 'Deployment').map(({ metadata }) => metadata.name)
    expect([...scaled, ...numbered].sort()).toEqual(all.sort())
  })

  test("KEDA asks for the lanes of the release's own namespace", () => {
    const scaled = ofKind(renderChart(switches['KEDA for what sends'], '--namespace', 'us1'), 'ScaledObject')
    const asked = scaled.map(({ spec }) => /namespace="([^"]+)"/.exec(spec.triggers[0].metadata.query)?.[1])
    expect(asked).toEqual(['us1', 'us1'])
  })

  test('External Secrets come before the migrations, and outlive an upgrade', () => {
    const found = ofKind(render('External Secrets'), 'ExternalSecret')
    const wanted = production.flatMap(({ kind, spec }) => {
      if (kind !== 'Deployment') return []
      const { containers, volumes } = spec.template.spec
      const variables = containers[0].env.flatMap(
        (each: { valueFrom?: { secretKeyRef?: { name: string } } }) => each.valueFrom?.secretKeyRef?.name ?? [],
      )
      return [
        ...variables,
        ...volumes.flatMap((each: { secret?: { secretName: string } }) => each.secret?.secretName ?? []),
      ]
    })
    expect(found.map(({ metadata }) => metadata.name).sort()).toEqual([...new Set([...wanted, 'provision'])].sort())
    for (const { metadata, spec } of found) {
      expect(Number(metadata.annotations!['helm.sh/hook-weight'])).toBeLessThan(-10)
      expect(spec).toMatchObject({
        secretStoreRef: store,
        target: { creationPolicy: 'Orphan', deletionPolicy: 'Retain' },
      })
    }
  })

  test('rules and dashboards arrive unchanged, with the runbooks of the installation', () => {
    const runbooks = 'https://wiki.example.org/notify'
    const monitoring = { rules: { enabled: true, runbooks }, dashboards: { enabled: true } }
    const resources = renderChart({ monitoring })
    const rules = JSON.stringify(ofKind(resources, 'PrometheusRule'))
    expect(rules).toContain('{{ $value | humanizeDuration }}')
    expect(rules).toContain(`${runbooks}/docs/night.md#is-anything-stuck`)
    expect(rules).not.toContain('runbooks.example.com')
    const boards = ofKind(resources, 'ConfigMap').filter(({ metadata }) => metadata.name.endsWith('-dashboard'))
    expect(
      boards.map(({ data }) => JSON.parse(Object.values(data!)[0]!).panels.length).every((count) => count > 0),
    ).toBe(true)
    expect(boards.length).toBe(6)
  })

  test.each<[string, Values, RegExp]>([
    ['a misspelt field', { image: { regstry: 'x' } }, /'\/image'.*'regstry'/s],
    [
      'two ways to scale',
      { processes: { otp: { scaling: { by: 'lanes' } } } },
      /\/processes\/otp\/scaling\/by.*'count', 'cpu'/s,
    ],
    [
      'a number as a variable',
      { services: { otp: { env: { DATABASE_POOL_SIZE: 8 } } } },
      /DATABASE_POOL_SIZE.*want string/s,
    ],
    [
      'a variable that no service knows',
      { services: { otp: { env: { LOG_LEVLE: 'debug' } } } },
      /services\/otp\/env.*'LOG_LEVLE'/s,
    ],
    [
      'a secret among the values',
      { services: { otp: { env: { DATABASE_URL: 'postgres://' } } } },
      /'DATABASE_URL' not allowed/s,
    ],
    [
      'the password of the database for migrations',
      { configMaps: { shared: { MIGRATION_DATABASE_URL: 'postgres://otp:x@postgres/notify' } } },
      /configMaps\/shared.*'MIGRATION_DATABASE_URL' not allowed/s,
    ],
    [
      'the password of a proxy',
      { services: { dispatch: { env: { HTTPS_PROXY: 'http://notify:x@proxy:3128' } } } },
      /dispatch\/env.*'HTTPS_PROXY' not allowed/s,
    ],
    [
      'a key of a command',
      { services: { otp: { env: { TRANSPORT_KEY: 'x'.repeat(43) } } } },
      /'TRANSPORT_KEY' not allowed/s,
    ],
    [
      'a variable that the service refuses',
      { services: { 'webhook-delivery': { env: { HTTPS_PROXY: 'http://proxy:3128' } } } },
      /'HTTPS_PROXY' not allowed/s,
    ],
    ['a level that no log has', { configMaps: { shared: { LOG_LEVEL: 'loud' } } }, /shared\/LOG_LEVEL.*'trace'/s],
    [
      'a text as a number',
      { services: { otp: { env: { DATABASE_POOL_SIZE: '8x' } } } },
      /otp\/env\/DATABASE_POOL_SIZE/,
    ],
    ['a name that no cell has', { services: { dispatch: { env: { CELL: 'EU 1' } } } }, /dispatch\/env\/CELL/],
    [
      'an amount of memory that is none',
      { processes: { otp: { resources: { limits: { memory: 'lots' } } } } },
      /limits\/memory/,
    ],
    ['a private key', { principalJwks: '{"keys":[{"kty":"EC","d": "x"}]}' }, /principalJwks/],
    [
      'External Secrets without a store',
      { secrets: { externalSecrets: { enabled: true } } },
      /externalSecrets\/store\/name/,
    ],
    [
      'an address with a path',
      { configMaps: { 'public-address': { PUBLIC_URL: 'https://a.example/x' } } },
      /PUBLIC_URL/,
    ],
    [
      'a minimum above the maximum',
      { processes: { gateway: { scaling: { min: 20 } } } },
      /processes\.gateway\.scaling: min \(20\) is more than max \(10\)/,
    ],
    ['no replica', { processes: { otp: { scaling: { count: 0 } } } }, /scaling\/count/],
    ['a tag that is no digest', { image: { digests: { otp: '1.0.0' } } }, /digests\/otp/],
  ])('%s is refused, with its place', (_name, values, message) => {
    const { status, stderr } = helmTemplate(values)
    expect(status).not.toBe(0)
    expect(stderr).toMatch(message)
  })
})
