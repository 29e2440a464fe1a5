import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form here; kustomize and the API server know their types.
type Tree = any

export interface Resource {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  spec: Tree
  data?: Record<string, string>
}

interface Patch {
  path?: string
  patch?: string
  target: { kind: string; name?: string }
}

interface Kustomization {
  namespace?: string
  resources?: string[]
  components?: string[]
  configMapGenerator?: { name: string; behavior?: string; literals: string[] }[]
  patches?: Patch[]
  labels?: { pairs: Record<string, string>; includeSelectors?: boolean; includeTemplates?: boolean }[]
  images?: { name: string; newName?: string; newTag?: string }[]
  replicas?: { name: string; count: number }[]
}

const understood = [
  'apiVersion',
  'kind',
  'namespace',
  'resources',
  'components',
  'configMapGenerator',
  'patches',
  'labels',
  'images',
  'replicas',
] // prettier-ignore

/**
 * Renders the part of kustomize that this repository uses, so that the manifests can be judged without kubectl; where
 * kubectl is found, a test compares the two. Generated names have no hash.
 * @param given what a component finds
 * @throws Error when the file uses a field that is not understood here
 */
export function renderKustomization(folder: string, given: Resource[] = []): Resource[] {
  return build(folder, given)
}

function build(folder: string, given: Resource[]): Resource[] {
  const file = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization
  const unknown = Object.keys(file).filter((field) => !understood.includes(field))
  if (unknown.length > 0) throw new Error(`${folder}: ${unknown.join(', ')} is not understood by this renderer`)
  let resources = [...given, ...(file.resources ?? []).flatMap((path) => load(join(folder, path)))]
  generate(file, resources)
  for (const path of file.components ?? []) resources = build(join(folder, path), resources)
  for (const patch of file.patches ?? []) applyPatch(folder, patch, resources)
  for (const resource of resources) transform(file, resource)
  return resources
}

function load(path: string): Resource[] {
  if (statSync(path).isDirectory()) return renderKustomization(path)
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Resource)
}

function generate({ configMapGenerator = [] }: Kustomization, resources: Resource[]): void {
  for (const { name, behavior, literals } of configMapGenerator) {
    const data = Object.fromEntries(literals.map((literal) => literal.split(/=(.*)/s).slice(0, 2)))
    const existing = resources.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)
    if (behavior === 'merge') Object.assign(existing!.data!, data)
    else resources.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data, spec: undefined })
  }
}

function applyPatch(folder: string, { path, patch, target }: Patch, resources: Resource[]): void {
  const change = parse(patch ?? readFileSync(join(folder, path!), 'utf8')) as Tree
  for (const resource of resources) {
    const isMeant = [
      [target.kind, resource.kind],
      [target.name ?? '.*', resource.metadata.name],
    ].every(([pattern, text]) => new RegExp(`^(${pattern})$`).test(text!))
    if (!isMeant) continue
    if (Array.isArray(change)) for (const operation of change) replaceOrRemove(resource, operation)
    else {
      const { name } = resource.metadata
      merge(resource, structuredClone({ ...change, apiVersion: resource.apiVersion, kind: resource.kind }))
      resource.metadata.name = name
    }
  }
}

function replaceOrRemove(resource: Tree, { op, path, value }: { op: string; path: string; value?: unknown }): void {
  const steps = path.split('/').slice(1)
  const last = steps.pop()!
  const place = steps.reduce((tree, step) => tree[step], resource)
  if (!['replace', 'remove'].includes(op) || !(last in place)) {
    throw new Error(`cannot ${op} ${path} of ${resource.metadata.name}`)
  }
  if (op === 'remove') delete place[last]
  else place[last] = value
}

/** The keys by which elements of a list are merged; other lists are replaced as a whole. */
const mergeKeys: Record<string, string> = {
  containers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  topologySpreadConstraints: 'topologyKey',
}

function merge(base: Tree, change: Tree): void {
  for (const [field, value] of Object.entries<Tree>(change)) {
    const key = mergeKeys[field]
    if (Array.isArray(value) && key && Array.isArray(base[field])) {
      for (const element of value) {
        const same = base[field].find((other: Tree) => other[key] === element[key])
        if (same) merge(same, element)
        else base[field].push(element)
      }
    } else if (isObject(value) && isObject(base[field])) merge(base[field], value)
    else base[field] = value
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function transform({ labels = [], images = [], replicas = [], namespace }: Kustomization, resource: Resource): void {
  const { kind, metadata, spec } = resource
  for (const { pairs, includeSelectors, includeTemplates } of labels) {
    metadata.labels = { ...metadata.labels, ...pairs }
    if (spec?.template && (includeSelectors || includeTemplates)) Object.assign(spec.template.metadata.labels, pairs)
    if (includeSelectors) for (const selector of selectorsOf(resource)) Object.assign(selector, pairs)
  }
  for (const container of spec?.template?.spec.containers ?? []) {
    const [name] = container.image.split(':')
    const image = images.find((image) => image.name === name)
    if (image) container.image = `${image.newName ?? name}:${image.newTag}`
  }
  const wanted = kind === 'Deployment' && replicas.find(({ name }) => name === metadata.name)
  if (wanted) spec.replicas = wanted.count
  if (namespace && kind !== 'Namespace') metadata.namespace = namespace
}

function selectorsOf({ kind, spec }: Resource): Record<string, string>[] {
  if (kind === 'Service') return [spec.selector]
  if (kind === 'PodDisruptionBudget') return [spec.selector.matchLabels]
  if (kind !== 'Deployment') return []
  const constraints = spec.template.spec.topologySpreadConstraints ?? []
  return [spec.selector.matchLabels, ...constraints.map(({ labelSelector }: Tree) => labelSelector.matchLabels)]
}
