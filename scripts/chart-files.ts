// Generates the Helm chart from k8s/ and infra/monitoring, so that there is one place for each fact.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { serviceNames } from '@notify/contracts'
import { ingressTemplate, networkTemplate } from './chart/network.ts'
import { TemplateText } from './chart/template-text.ts'
import { valuesText } from './chart/values.ts'
import { valuesSchemaText } from './chart/values-schema.ts'
import { component, onlyIf, plain, provisionTemplate, serviceTemplate } from './chart/workloads.ts'

const root = join(import.meta.dirname, '..')
const chart = 'charts/notify'
const note = '{{- /* Generated from k8s/ by `npm run generate`. */}}\n'

/** The generated files of charts/notify by path. */
export async function chartFiles(): Promise<Record<string, string>> {
  const templates = {
    ...Object.fromEntries(serviceNames.map((name) => [name, serviceTemplate(name)])),
    provision: provisionTemplate(),
    network: networkTemplate(),
    ingress: ingressTemplate(),
    'pod-monitor': podMonitorTemplate(),
  }
  return {
    ...Object.fromEntries(
      Object.entries(templates).map(([name, text]) => [`${chart}/templates/${name}.yaml`, note + text]),
    ),
    [`${chart}/values.yaml`]: valuesText(),
    [`${chart}/values.schema.json`]: await valuesSchemaText(),
    ...copies('rules/*.yml', 'rules'),
    ...copies('grafana/dashboards/*.json', 'dashboards'),
  }
}

function podMonitorTemplate(): string {
  const text = new TemplateText()
  const parts = component('monitoring').map((resource) => {
    const extra = [
      '{{- with $.Values.monitoring.podMonitor.labels }}',
      '{{- toYaml . | nindent $indent }}',
      '{{- end }}',
    ]
    resource.metadata.labels = { ...resource.metadata.labels, [text.lines(...extra)]: null as never }
    return plain(text, resource)
  })
  return onlyIf('$.Values.monitoring.podMonitor.enabled', parts.join('---\n'))
}

/** Helm reads files of the chart's own folder only. */
function copies(pattern: string, folder: string): Record<string, string> {
  const files = globSync(`infra/monitoring/${pattern}`, { cwd: root }).sort()
  return Object.fromEntries(
    files.map((file) => [`${chart}/monitoring/${folder}/${basename(file)}`, readFileSync(join(root, file), 'utf8')]),
  )
}
