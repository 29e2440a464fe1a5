// values.schema.json: names of variables and their meaning are those of the services' declarations.
import { type ServiceName, serviceNames } from '@notify/contracts'
import { type Variable, variablesOf } from '../service-declarations.ts'
import { namespaces } from './network.ts'
import { fixedVariables } from './pods.ts'
import { configMaps, processes } from './values.ts'
import { base } from './workloads.ts'

type Schema = Record<string, unknown>
type EnvFrom = { configMapRef: { name: string } }

const text = (extra: Schema = {}): Schema => ({ type: 'string', ...extra })
const choice = (...values: string[]): Schema => ({ enum: values })
const flag: Schema = { type: 'boolean' }
const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } }
const list = (items: Schema): Schema => ({ type: 'array', items })
const count: Schema = { type: 'integer', minimum: 1 }

/** An object that knows its fields: a misspelt one is refused. */
const record = (properties: Record<string, Schema>, extra: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...extra,
})

/** Of one command, and of logins that the Secrets of the chart replace. */
const otherSecrets = ['TRANSPORT_KEY', 'NATS_TOKEN', 'NATS_CREDS']

/** Variables whose values never belong into values: those that come from Secrets, and others. */
function secretVariables(): Set<string> {
  const workloads = base().filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  const all = workloads.flatMap(({ spec }) => spec.template.spec.containers[0].env)
  const named = all.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [name as string] : []))
  return new Set([...named, ...otherSecrets])
}

/** The variables of a ConfigMap without those that a pod which reads it sets itself: their values there would have no effect. */
function effective(configMap: string, all: Record<string, Schema>): Record<string, Schema> {
  const readers = base().flatMap(({ spec }) => spec?.template?.spec.containers[0] ?? [])
  const set = readers
    .filter(({ envFrom }) => envFrom.some(({ configMapRef }: EnvFrom) => configMapRef.name === configMap))
    .flatMap(({ env }) => env.map(({ name }: { name: string }) => name))
  return Object.fromEntries(Object.entries(all).filter(([name]) => !set.includes(name)))
}

async function variables(service: ServiceName): Promise<Record<string, Schema>> {
  const hidden = new Set([...secretVariables(), ...fixedVariables])
  const known = (await variablesOf(service)).filter(({ name, isRefused }) => !isRefused && !hidden.has(name))
  return Object.fromEntries(known.map((variable) => [variable.name, schemaOfValue(variable)]))
}

/** An empty value counts as absent. */
function schemaOfValue({ meaning: description, choices, pattern }: Variable): Schema {
  if (choices.length > 0) return { enum: [...choices, ''], description }
  return text({ ...(pattern && { pattern: `^$|${pattern}` }), description })
}

/** The variables that every service knows. */
function sharedVariables(all: Record<string, Schema>[]): Record<string, Schema> {
  const [first, ...others] = all
  return Object.fromEntries(Object.entries(first!).filter(([name]) => others.every((each) => name in each)))
}

function process(scalesByLanes: boolean): Schema {
  const scaling = {
    by: choice('count', 'cpu', ...(scalesByLanes ? ['lanes'] : [])),
    count,
    min: count,
    max: count,
    cpuPercent: { type: 'integer', minimum: 1, maximum: 100 },
    ...(scalesByLanes ? { laneUtilization: { type: 'number', exclusiveMinimum: 0, maximum: 1 } } : {}),
  }
  const quantities = {
    type: 'object',
    additionalProperties: {
      type: ['string', 'number'],
      pattern: '^[0-9]+([.][0-9]+)?(m|[kMGTPE]|[KMGTPE]i|e[0-9]+)?$',
    },
  }
  return record({ scaling: record(scaling), resources: record({ requests: quantities, limits: quantities }) })
}

/** The text of values.schema.json. */
export async function valuesSchemaText(): Promise<string> {
  const own = await Promise.all(serviceNames.map(async (name) => [name, await variables(name)] as const))
  const env = Object.fromEntries(own.map(([name, known]) => [name, record({ env: record(known) })]))
  const shared = sharedVariables(own.map(([, known]) => known))
  const gateway = Object.fromEntries(own).gateway!
  const images = [...serviceNames, 'provision']
  const perImage = (schema: Schema) => record(Object.fromEntries(images.map((name) => [name, schema])))
  const publicUrl = text({
    pattern: '^https://[^/\\s]+(/cells/[a-z][a-z0-9]{0,15})?$',
    description: 'Without a path, or with that of a cell: https://api.example.com/cells/eu1',
  })
  const peer = record({
    namespace: text({ minLength: 1 }),
    addresses: list(text({ pattern: '^[0-9a-fA-F:.]+/[0-9]+$' })),
  })
  const switched = (extra: Record<string, Schema> = {}) => record({ enabled: flag, ...extra })
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart notify',
    ...record({
      global: { type: 'object' },
      image: record({
        registry: text({ pattern: '^[a-z0-9.:/_-]+[^/]$', description: 'Host and path, without a slash at the end' }),
        tag: text({ pattern: '^[A-Za-z0-9_.-]*$' }),
        tags: perImage(text({ pattern: '^[A-Za-z0-9_.-]+$' })),
        digests: perImage(text({ pattern: '^sha256:[0-9a-f]{64}$' })),
        pullPolicy: choice('Always', 'IfNotPresent', 'Never'),
        pullSecrets: list(text()),
      }),
      configMaps: record({
        shared: record(effective('shared', shared), { required: Object.keys(configMaps().shared!) }),
        'public-address': record({ PUBLIC_URL: publicUrl }, { required: ['PUBLIC_URL'] }),
        gateway: record(effective('gateway', gateway), { required: Object.keys(configMaps().gateway!) }),
      }),
      principalJwks: text({ pattern: '^$|"keys"', not: { pattern: '"d" *:' }, description: 'A JWKS of public keys' }),
      services: record(env),
      processes: record(
        Object.fromEntries(
          Object.entries(processes()).map(([name, { scaling }]) => [name, process('laneUtilization' in scaling)]),
        ),
      ),
      secrets: record({
        as: choice('files', 'variables'),
        externalSecrets: {
          ...switched({
            store: record({ kind: choice('ClusterSecretStore', 'SecretStore'), name: text() }),
            refreshInterval: text({ pattern: '^[0-9]+(s|m|h)$' }),
            keyPrefix: text(),
          }),
          if: { properties: { enabled: { const: true } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, not a promise.
          then: { properties: { store: { properties: { name: { minLength: 1 } } } } },
        },
      }),
      nats: record({ login: choice('password', 'credentials') }),
      bootstrap: switched(),
      provision: switched(),
      ingress: record({
        by: choice('none', 'ingress', 'ingress-nginx', 'gateway-api'),
        host: text({ pattern: '^[a-z0-9.-]+$' }),
        tlsSecret: text({ minLength: 1 }),
        className: text(),
        namespace: text(),
        annotations: texts,
        streamAnnotations: texts,
        gateway: record({ name: text({ minLength: 1 }), namespace: text({ minLength: 1 }), sectionName: text() }),
      }),
      networkPolicies: switched({
        ...Object.fromEntries(Object.keys(namespaces).map((name) => [name, peer])),
        extraEgress: list({ type: 'object' }),
      }),
      disruptionBudgets: switched(),
      monitoring: record({
        prometheus: text({ pattern: '^https?://' }),
        podMonitor: switched({ labels: texts }),
        rules: switched({ labels: texts, runbooks: text({ pattern: '^https?://.*[^/]$' }) }),
        dashboards: switched({ labels: texts }),
      }),
      pods: record({
        nodeSelector: texts,
        tolerations: list({ type: 'object' }),
        priorityClassName: text(),
        terminationGracePeriodSeconds: count,
        extraVolumes: list({ type: 'object' }),
        extraVolumeMounts: list({ type: 'object' }),
      }),
    }),
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}
