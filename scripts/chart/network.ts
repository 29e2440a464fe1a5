// Templates of the network policies and of the ways in.
import type { Resource } from '../render-kustomization.ts'
import { TemplateText } from './template-text.ts'
import { base, component, ofKind, onlyIf, plain } from './workloads.ts'

/** Namespaces of k8s/base/network by the value that replaces each. */
export const namespaces = {
  dns: 'kube-system',
  postgres: 'postgres',
  nats: 'nats',
  redis: 'redis',
  monitoring: 'monitoring',
}
const key = 'kubernetes.io/metadata.name'

interface Peer {
  namespaceSelector?: { matchLabels: Record<string, string> }
  ipBlock?: { cidr: string; except: string[] }
}

/** Replaces the namespaces of the platform, and lets the addresses of servers outside of the cluster in. */
function templatePeers(text: TemplateText, peers: Peer[]): unknown[] {
  return peers.flatMap((peer): unknown[] => {
    const namespace = peer.namespaceSelector?.matchLabels[key]
    const name = Object.entries(namespaces).find(([, value]) => value === namespace)?.[0]
    if (name === undefined) return [peer]
    const values = `$.Values.networkPolicies.${name}`
    const selector = { matchLabels: { [key]: text.value(`${values}.namespace`) } }
    return [
      { namespaceSelector: selector },
      text.lines(`{{- range ${values}.addresses }}`, '- ipBlock:', '    cidr: {{ . | quote }}', '{{- end }}'),
    ]
  })
}

function policy(text: TemplateText, resource: Resource): string {
  for (const rule of resource.spec.ingress ?? []) rule.from = templatePeers(text, rule.from)
  for (const rule of resource.spec.egress ?? []) rule.to = templatePeers(text, rule.to)
  if (resource.metadata.name === 'to-internet') {
    const extra = text.lines(
      '{{- with $.Values.networkPolicies.extraEgress }}',
      '{{- toYaml . | nindent $indent }}',
      '{{- end }}',
    )
    resource.spec.egress.push(extra)
  }
  return plain(text, resource)
}

export function networkTemplate(): string {
  const text = new TemplateText()
  const policies = ofKind(base(), 'NetworkPolicy').map((resource) => policy(text, resource))
  return onlyIf('$.Values.networkPolicies.enabled', policies.join('---\n'))
}

/** The Ingress, or the route of a Gateway, with the policy that lets its pods in. */
export function ingressTemplate(): string {
  const text = new TemplateText()
  const by = (name: string) => `eq $.Values.ingress.by "${name}"`
  const nginx = new Map(ofKind(component('ingress-nginx'), 'Ingress').map((each) => [each.metadata.name, each]))
  const ingresses = ofKind(component('ingress'), 'Ingress').map((resource) => {
    const { name } = resource.metadata
    const annotations = nginx.get(name)!.metadata.annotations!
    const values = name === 'api' ? 'annotations' : 'streamAnnotations'
    resource.metadata.annotations = {
      [text.lines(
        `{{- if ${by('ingress-nginx')} }}`,
        ...Object.entries(annotations).map(([field, value]) => `${field}: "${value}"`),
        '{{- end }}',
        `{{- with $.Values.ingress.${values} }}`,
        '{{- toYaml . | nindent $indent }}',
        '{{- end }}',
      )]: null as never,
    }
    const host = text.value('$.Values.ingress.host')
    resource.spec.tls = [{ hosts: [host], secretName: text.value('$.Values.ingress.tlsSecret') }]
    resource.spec.rules[0].host = host
    const className = text.lines('{{- with $.Values.ingress.className }}', 'ingressClassName: {{ . }}', '{{- end }}')
    resource.spec = { [className]: null, ...resource.spec }
    return plain(text, resource)
  })
  const route = ofKind(component('gateway-api'), 'HTTPRoute').map((resource) => {
    resource.spec.parentRefs = text.value('toJson (list $.Values.ingress.gateway)')
    resource.spec.hostnames = [text.value('$.Values.ingress.host')]
    return plain(text, resource)
  })
  const [fromIngress] = ofKind(component('ingress'), 'NetworkPolicy') as [Resource]
  const matchLabels = { [key]: text.value('include "notify.ingressNamespace" $') }
  fromIngress.spec.ingress[0].from = [{ namespaceSelector: { matchLabels } }]
  const policies = onlyIf('$.Values.networkPolicies.enabled', `---\n${plain(text, fromIngress)}`)
  const plainIngress = onlyIf(`hasPrefix "ingress" $.Values.ingress.by`, ingresses.join('---\n'))
  const gateway = onlyIf(by('gateway-api'), route.join('---\n'))
  return onlyIf('ne $.Values.ingress.by "none"', plainIngress + gateway + policies)
}
