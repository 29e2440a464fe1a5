import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { runTool, toolPath } from '../../scripts/kubernetes-tools.ts'
import { type Resource, renderKustomization } from '../../scripts/render-kustomization.ts'
import { ofKind } from './manifests.ts'
import { root, services } from './project.ts'

/** Not everywhere: without it the manifests are judged by our own rendering alone. */
const hasKubectl = toolPath('kubectl') !== undefined

describe.each(['k8s/base', 'k8s/overlays/production', ...services.map((service) => `k8s/base/${service}`)])(
  '%s',
  (folder) => {
    const testWithKubectl = hasKubectl ? test : test.skip
    testWithKubectl('is rendered by kustomize without a warning, and to what is judged here', () => {
      const { stdout, stderr, status } = runTool('kubectl', ['kustomize', join(root, folder)])
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
      const resources = parseAllDocuments(stdout).map((document) => document.toJS() as Resource)
      expect(sorted(withoutHashes(resources))).toEqual(sorted(renderKustomization(join(root, folder))))
    })
  },
)

/** Generated ConfigMaps, and what refers to them, without the hash of their content. */
function withoutHashes(resources: Resource[]): Resource[] {
  let text = JSON.stringify(resources)
  for (const { metadata } of ofKind(resources, 'ConfigMap')) {
    text = text.replaceAll(`"${metadata.name}"`, `"${metadata.name.replace(/-[a-z0-9]{10}$/, '')}"`)
  }
  return JSON.parse(text) as Resource[]
}

/** Resources, and lists whose order says nothing, in one order. */
function sorted(resources: Resource[]): unknown {
  return JSON.parse(JSON.stringify(resources), (_field, value: unknown) => {
    if (Array.isArray(value)) return value.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    return value
  })
}

function keyOf(element: unknown): string {
  if (typeof element !== 'object' || element === null) return ''
  const { kind, metadata, name, topologyKey, mountPath } = element as Record<string, unknown>
  return JSON.stringify([kind, (metadata as Resource['metadata'] | undefined)?.name, mountPath, name, topologyKey])
}
