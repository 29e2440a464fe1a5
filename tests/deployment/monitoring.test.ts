import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { requireBinary } from '@notify/dev-env'
import { parse } from 'yaml'
import { anchorOf } from '../../scripts/markdown.ts'
import { renderKustomization } from '../../scripts/render-kustomization.ts'
import { containers, serviceContainers } from './compose-file.ts'
import { exportedMetrics, metricsIn, openCounters } from './exported-metrics.ts'
import { podLabels, workloads } from './manifests.ts'
import { readText, root, services } from './project.ts'

const folder = 'infra/monitoring'
const filesOf = (name: string) => readdirSync(join(root, folder, name)).map((file) => `${folder}/${name}/${file}`)

interface Rule {
  alert?: string
  record?: string
  expr: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}
const rules = filesOf('rules').flatMap((file) =>
  (parse(readText(file)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
)
const alerts = rules.filter(({ alert }) => alert !== undefined)

interface Dashboard {
  uid: string
  panels: { title: string; targets: { expr: string }[] }[]
}
const dashboards = filesOf('grafana/dashboards').map((file) => JSON.parse(readText(file)) as Dashboard)

/** Runs promtool in infra/monitoring. */
function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(requireBinary('promtool'), args, {
    cwd: join(root, folder),
    encoding: 'utf8',
    // It is short-lived: to collect garbage often costs more than the memory.
    env: { ...process.env, GOGC: '400' },
  })
  return { status, output: stdout + stderr }
}

test('Prometheus takes its file and the rules', () => {
  expect(promtool('check', 'config', 'prometheus.yml')).toMatchObject({ status: 0 })
})

test('compose mounts the files where Prometheus and Grafana read them', () => {
  const { prometheus, grafana } = containers
  const mounts = [prometheus!, grafana!].flatMap(({ volumes = [] }) => volumes.map((each) => String(each).split(':')))
  for (const [source] of mounts) expect([source, existsSync(join(root, source!))]).toEqual([source, true])
  const targets = mounts.map(([, target]) => target)
  expect(prometheus!.command![0]).toBe(`--config.file=${targets[0]}`)
  const provider = parse(readText(`${folder}/grafana/provisioning/dashboards/notify.yml`))
  expect(targets).toContain(provider.providers[0].options.path)
})

test('nobody may change anything in Grafana: it has no user, and takes no login', () => {
  expect(containers.grafana!.environment).toMatchObject({
    GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
    GF_AUTH_DISABLE_LOGIN_FORM: 'true',
    GF_AUTH_BASIC_ENABLED: 'false',
    GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
  })
})

test('traces go from the services by the collector to Jaeger, and Grafana shows them', () => {
  const { 'otel-collector': collector, jaeger } = containers
  const [volume] = collector!.volumes as string[]
  const [source, target] = volume!.split(':')
  expect(collector!.command).toEqual([`--config=${target}`])
  const { receivers, exporters, service } = parse(readText(source!.slice(2)))
  expect(receivers.otlp.protocols.http.endpoint).toBe('0.0.0.0:4318')
  const variable = /^\$\{env:(\w+)\}$/.exec(exporters.otlp.endpoint)![1]!
  // 4317 takes OTLP over gRPC in Jaeger.
  expect(collector!.environment).toEqual({ [variable]: 'jaeger:4317' })
  for (const name of [...service.pipelines.traces.receivers, ...service.pipelines.traces.exporters])
    expect(name).toBe('otlp')
  expect(readText('docker-compose.yml')).toContain('OTEL_EXPORTER_OTLP_ENDPOINT=http://otel-collector:4318 ')
  const sources = filesOf('grafana/provisioning/datasources').flatMap((file) => parse(readText(file)).datasources)
  const [traces, metrics] = ['jaeger', 'prometheus'].map((type) => sources.find((each) => each.type === type))
  expect(traces.url).toBe(`http://jaeger:${jaeger!.ports![0]!.split(':').at(-1)}`)
  expect(traces.jsonData.tracesToMetrics.datasourceUid).toBe(metrics.uid)
  expect(metrics.correlations[0].targetUID).toBe(traces.uid)
  const known = new Set(exportedMetrics())
  for (const { query } of traces.jsonData.tracesToMetrics.queries) {
    expect(metricsIn(query.replace('$$__tags', 'service="otp"')).filter((name) => !known.has(name))).toEqual([])
  }
})

test('the alerts fire when they should, and only then', () => {
  const files = filesOf('rules-tests')
  expect(promtool('test', 'rules', ...files.map((file) => file.slice(folder.length + 1)))).toEqual({
    status: 0,
    output: expect.stringContaining('SUCCESS'),
  })
  const tested = new Set(
    files.flatMap((file) => [...readText(file).matchAll(/alertname: (\w+)/g)].map(([, name]) => name)),
  )
  expect(alerts.map(({ alert }) => alert).filter((name) => !tested.has(name))).toEqual([])
})

test('rules keep the namespace, so that the installations of one Prometheus are not mixed', () => {
  const parts = rules.flatMap(
    ({ expr }) => expr.match(/\b(?:sum|max|min|avg|count|group|on)\b *(?:by *)?\([^)]*/g) ?? [],
  )
  expect(parts.length).toBeGreaterThan(100)
  expect(parts.filter((part) => !/^(?:on|\w+ by )\(namespace\b/.test(part))).toEqual([])
})

test('no counter has the name of a gauge, which differs by its suffix alone', () => {
  const names = [...exportedMetrics()].map((name) => name.replace(/_total$/, ''))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('counters exist at 0 from the start', () => {
  expect(openCounters()).toEqual([])
})

test('every metric of a rule or a dashboard is one that a service exports, or a recorded one', () => {
  const known = new Set([...exportedMetrics(), ...rules.map(({ record }) => record), 'up'])
  const panels = dashboards.flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ at: `${uid}: ${title}`, expr }))),
  )
  const expressions = [...rules.map(({ alert, record, expr }) => ({ at: alert ?? record, expr })), ...panels]
  const used = expressions.map(({ at, expr }) => ({ at, names: metricsIn(expr) }))
  expect(used.filter(({ names }) => names.length === 0)).toEqual([])
  expect(used.flatMap(({ at, names }) => names.filter((name) => !known.has(name)).map((n) => `${at}: ${n}`))).toEqual(
    [],
  )
})

test('every metric that a service exports is on a dashboard', () => {
  const shown = new Set(
    [...rules, ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets))].flatMap(({ expr }) =>
      metricsIn(expr).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
    ),
  )
  const balance = ['notify_balance_accepted', 'notify_balance_settled']
  const exported = [...exportedMetrics()].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  expect([...new Set(exported)].filter((name) => !shown.has(name) && !balance.includes(name))).toEqual([])
})

test('every alert leads to a paragraph of the manual, and says whom it wakes', () => {
  const anchorsOf = (file: string) =>
    [...readText(file).matchAll(/^#{2,4} (.+)$/gm)].map(([, title]) => `${file}#${anchorOf(title!)}`)
  const paragraphs = ['docs/night.md', 'docs/operations.md'].flatMap(anchorsOf)
  for (const { alert, labels, annotations } of alerts) {
    const [, paragraph] = /^https:\/\/runbooks\.example\.com\/(.+)$/.exec(annotations?.runbook_url ?? '') ?? []
    expect([alert, paragraphs.includes(paragraph ?? '')]).toEqual([alert, true])
    expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)])
  }
})

test('an alert that wakes somebody leads to a question of the night', () => {
  const pages = alerts.filter(({ labels }) => labels?.severity === 'page')
  expect(pages.length).toBeGreaterThan(10)
  const elsewhere = pages.filter(({ annotations }) => !annotations?.runbook_url?.includes('/docs/night.md#'))
  expect(elsewhere.map(({ alert }) => alert)).toEqual([])
})

test('the operations manual names only metrics that exist', () => {
  const exported = [...exportedMetrics()].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  const [, watch] = /^## What to watch\n([\s\S]*?)^## /m.exec(readText('docs/operations.md'))!
  const cells = [...watch!.matchAll(/^\| (.+?) +\|/gm)].map(([, cell]) => cell!)
  const named = cells.flatMap((cell) =>
    [...cell.matchAll(/`([a-z][a-z0-9]+(?:_[a-z0-9]+)+)`/g)].map(([, name]) => name!),
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !exported.includes(name))).toEqual([])
})

test('every process is scraped, in compose and on Kubernetes, with the name of its service', () => {
  const { scrape_configs } = parse(readText(`${folder}/prometheus.yml`)) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[]; labels: { service: string } }[] }[]
  }
  expect(scrape_configs.map(({ job_name }) => job_name)).toEqual(['notify'])
  const scraped = scrape_configs[0]!.static_configs.flatMap(({ targets, labels }) =>
    targets.map((target) => [target, labels.service]),
  )
  expect(scraped.sort()).toEqual(
    serviceContainers
      .map(([name, service, { environment }]) => [`${name}:${environment!.METRICS_PORT}`, service])
      .sort(),
  )
  const [monitor] = renderKustomization(join(root, 'k8s/components/monitoring'))
  const { selector, podMetricsEndpoints } = monitor!.spec
  expect(podMetricsEndpoints[0].port).toBe('metrics')
  const wanted = Object.entries(selector.matchLabels)
  const selected = workloads
    .filter(({ kind }) => kind === 'Deployment')
    .filter((workload) => wanted.every(([key, value]) => podLabels(workload)[key] === value))
  expect(new Set(selected.map((workload) => podLabels(workload)['app.kubernetes.io/name']))).toEqual(new Set(services))
})

test('each process has the name of its container or Deployment, so that one that is gone is missed', () => {
  const [job] = parse(readText(`${folder}/prometheus.yml`)).scrape_configs
  const [relabeling] = job.relabel_configs
  expect(relabeling).toMatchObject({ source_labels: ['__address__'], target_label: 'process' })
  expect('dispatch-sender:9090'.replace(new RegExp(`^${relabeling.regex}$`), '$1')).toBe('dispatch-sender')
  const [monitor] = renderKustomization(join(root, 'k8s/components/monitoring'))
  const relabelings = monitor!.spec.podMetricsEndpoints[0].relabelings as Record<string, string>[]
  const { regex, sourceLabels } = relabelings.find(({ targetLabel }) => targetLabel === 'process')!
  expect(sourceLabels).toEqual(['__meta_kubernetes_pod_controller_name'])
  // As a ReplicaSet is called.
  expect('dispatch-sender-7d4b9c6f5d'.replace(new RegExp(`^${regex}$`), '$1')).toBe('dispatch-sender')
})

test('the collector takes what the services send, and uses every part that it declares', () => {
  const collector = parse(readText(`${folder}/otel-collector.yaml`))
  const { receivers, processors, exporters } = collector.service.pipelines.traces
  expect(Object.keys(collector.receivers)).toEqual(receivers)
  expect(Object.keys(collector.processors)).toEqual(processors)
  expect(Object.keys(collector.exporters)).toEqual(exporters)
  expect(Object.keys(collector.extensions)).toEqual(collector.service.extensions)
  expect(collector.receivers.otlp.protocols.http.endpoint).toMatch(/:4318$/)
})
