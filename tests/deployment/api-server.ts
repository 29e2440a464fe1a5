import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import type { Resource } from '../../scripts/render-kustomization.ts'
import { decodeSecret, isProtobuf } from './protobuf-secret.ts'

/** A stand-in for Kubernetes' API: stores what it is sent, and ends each Job at once. */
export interface ApiServer {
  /** The address for `--kube-apiserver`. */
  url: string
  /** What was created, changed or deleted, in order, without Helm's own records: `create Job/otp-migration-1-0-0`. */
  changes: string[]
  /** Everything that is there. */
  resources(): Resource[]
  /** Jobs whose name begins with this end with an error from now on; undefined: none. */
  failJobs(prefix?: string): void
  stop(): Promise<void>
}

type Stored = Resource & { metadata: { resourceVersion?: string; uid?: string } }

/** Plural names by kind, for each group and version that the chart has. */
const served: Record<string, Record<string, string>> = {
  v1: { ConfigMap: 'configmaps', Secret: 'secrets', Service: 'services', Pod: 'pods', Namespace: 'namespaces' },
  'apps/v1': { Deployment: 'deployments', ReplicaSet: 'replicasets' },
  'batch/v1': { Job: 'jobs' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'autoscaling/v2': { HorizontalPodAutoscaler: 'horizontalpodautoscalers' },
  'networking.k8s.io/v1': { NetworkPolicy: 'networkpolicies', Ingress: 'ingresses' },
}

export async function startApiServer(): Promise<ApiServer> {
  const stored = new Map<string, Stored>()
  const watchers = new Set<{ path: string; response: ServerResponse }>()
  const changes: string[] = []
  let version = 0
  let failing: string | undefined
  const note = (what: string, { kind, metadata }: Resource) => {
    if (kind !== 'Secret') changes.push(`${what} ${kind}/${metadata.name}`)
  }
  const tell = (type: string, path: string, object: Stored) => {
    for (const watcher of watchers) {
      if (path.startsWith(`${watcher.path}/`)) watcher.response.write(`${JSON.stringify({ type, object })}\n`)
    }
  }
  const save = (path: string, resource: Resource): Stored => {
    const known = stored.get(path)
    version++
    const metadata = {
      ...resource.metadata,
      resourceVersion: `${version}`,
      uid: known?.metadata.uid ?? `uid-${version}`,
    }
    const object = {
      ...resource,
      metadata,
      ...(resource.kind === 'Job' ? { status: endOf(resource, failing) } : {}),
    } as Stored
    stored.set(path, object)
    note(known ? 'change' : 'create', object)
    tell(known ? 'MODIFIED' : 'ADDED', path, object)
    return object
  }
  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url!, 'http://localhost')
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const found = stored.get(path)
    const discovered = discovery(path)
    if (discovered) answer(200, discovered)
    else if (request.method === 'GET' && query.has('watch')) {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      const watcher = { path, response }
      watchers.add(watcher)
      response.on('close', () => watchers.delete(watcher))
      if (query.get('sendInitialEvents') === 'true') response.write(initialEvents(path, stored, query, version))
    } else if (request.method === 'GET' && isCollection(path)) answer(200, listOf(path, stored, query, version))
    else if (request.method === 'POST' && isCollection(path)) {
      const resource = await bodyOf(request)
      answer(201, save(`${path}/${resource.metadata.name}`, resource))
    } else if (request.method === 'PATCH' || request.method === 'PUT') {
      const resource = await bodyOf(request)
      const field = changedForGood(found, resource)
      if (field) answer(422, { ...failure, reason: 'Invalid', code: 422, message: `${field}: field is immutable` })
      else answer(found ? 200 : 201, save(path, resource))
    } else if (!found) answer(404, { ...failure, reason: 'NotFound', code: 404 })
    else if (request.method === 'DELETE') {
      stored.delete(path)
      note('delete', found)
      tell('DELETED', path, found)
      answer(200, { kind: 'Status', apiVersion: 'v1', status: 'Success' })
    } else answer(200, found)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes,
    resources: () => [...stored.values()],
    failJobs(prefix) {
      failing = prefix
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const failure = { kind: 'Status', apiVersion: 'v1', status: 'Failure' }

/** The field that nobody may change, and this does. */
function changedForGood(known: Resource | undefined, { kind, spec }: Resource): string | undefined {
  const field = { Deployment: 'selector', Job: 'template' }[kind]
  if (!known || !field) return undefined
  return isDeepStrictEqual(known.spec[field], spec[field]) ? undefined : `spec.${field}`
}

function endOf({ metadata }: Resource, failing: string | undefined) {
  const failed = failing !== undefined && metadata.name.startsWith(failing)
  const type = failed ? 'Failed' : 'Complete'
  const condition = { type, status: 'True', reason: failed ? 'BackoffLimitExceeded' : 'Completed', message: type }
  return { conditions: [condition], ...(failed ? { failed: 1 } : { succeeded: 1 }), startTime: '2026-01-01T00:00:00Z' }
}

/** Ends with the plural of a kind. */
function isCollection(path: string): boolean {
  return Object.values(served).some((kinds) => Object.values(kinds).some((plural) => path.endsWith(`/${plural}`)))
}

function listOf(path: string, stored: Map<string, Stored>, query: URLSearchParams, version: number) {
  const wanted = (query.get('labelSelector') ?? '').split(',').filter((term) => term.includes('='))
  const field = /metadata\.name=([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1]
  const items = [...stored].flatMap(([key, resource]) => {
    if (!key.startsWith(`${path}/`) || (field && resource.metadata.name !== field)) return []
    const labels = resource.metadata.labels ?? {}
    return wanted.every((term) => labels[term.split('=')[0]!] === term.split('=').at(-1)) ? [resource] : []
  })
  const { apiVersion, kind } = kindOf(path)
  return { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: `${version}` }, items }
}

/** A watch that begins with what is there ends that with a bookmark. */
function initialEvents(path: string, stored: Map<string, Stored>, query: URLSearchParams, version: number): string {
  const { items } = listOf(path, stored, query, version)
  const metadata = { resourceVersion: `${version}`, annotations: { 'k8s.io/initial-events-end': 'true' } }
  const events = [
    ...items.map((object) => ({ type: 'ADDED', object })),
    { type: 'BOOKMARK', object: { ...kindOf(path), metadata } },
  ]
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

function kindOf(path: string): { apiVersion: string; kind: string } {
  for (const [apiVersion, kinds] of Object.entries(served)) {
    const found = Object.entries(kinds).find(([, plural]) => path.endsWith(`/${plural}`))
    if (found && path.startsWith(apiVersion === 'v1' ? '/api/v1/' : `/apis/${apiVersion}/`))
      return { apiVersion, kind: found[0] }
  }
  throw new Error(`${path} is no collection`)
}

/** Says only that the server itself validates fields, so that Helm does not ask for all schemas. */
function openApi(path: string): unknown {
  const groupVersion = path.replace(/^\/openapi\/v3\/?(apis?\/)?/, '')
  if (groupVersion === '') {
    const names = Object.keys(served).map((name) => (name === 'v1' ? 'api/v1' : `apis/${name}`))
    return { paths: Object.fromEntries(names.map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}` }])) }
  }
  const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion]
  const patches = Object.keys(served[groupVersion] ?? {}).map((kind) => [
    `/${kind}`,
    {
      patch: {
        parameters: [{ name: 'fieldValidation', in: 'query' }],
        'x-kubernetes-group-version-kind': { group, version, kind },
      },
    },
  ])
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.35.0' }, paths: Object.fromEntries(patches) }
}

function discovery(path: string): unknown {
  if (path.startsWith('/openapi/v3')) return openApi(path)
  if (path === '/version') return { major: '1', minor: '35', gitVersion: 'v1.35.0' }
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  const groups = Object.keys(served).filter((name) => name.includes('/'))
  if (path === '/apis') {
    return {
      kind: 'APIGroupList',
      groups: groups.map((groupVersion) => {
        const [name, version] = groupVersion.split('/')
        return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }
      }),
    }
  }
  const groupVersion = path.replace(/^\/apis?\//, '')
  const kinds = served[groupVersion]
  if (!kinds) return undefined
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']
  const resources = Object.entries(kinds).map(([kind, name]) => ({
    name,
    kind,
    singularName: kind.toLowerCase(),
    namespaced: kind !== 'Namespace',
    verbs,
  }))
  return { kind: 'APIResourceList', groupVersion, resources }
}

async function bodyOf(request: IncomingMessage): Promise<Resource> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  return isProtobuf(body) ? decodeSecret(body) : (parse(body.toString('utf8')) as Resource)
}
