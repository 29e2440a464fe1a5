import { diffLines } from 'diff'
import { type Channel, channelNames, namesOf } from '../api/channels.ts'
import { pretty, type Templates } from './template-forms.ts'

/** A line of a comparison. `skipped`: how many unchanged lines stand there. */
export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'skipped'; count: number }

/** What has templates: an event, or a stored template. */
export interface Templated {
  name: string
  /** Of a stored template: the name of the application that may use it. */
  application?: string
  allowed_channels?: readonly Channel[]
  templates: Templates
}

/** A text that differs. */
export interface Difference {
  label: string
  lines: DiffLine[]
}

/** The texts that differ between two contents; `before` is undefined when there is none. */
export function compare(before: Templated | undefined, after: Templated): Difference[] {
  const old = new Map(before ? textsOf(before) : [])
  const now = new Map(textsOf(after))
  const labels = [...new Set([...now.keys(), ...old.keys()])]
  return labels
    .filter((label) => old.get(label) !== now.get(label))
    .map((label) => ({ label, lines: linesOf(old.get(label) ?? '', now.get(label) ?? '') }))
}

/** Every text of a content with what it is called, in the order of the editor. */
export function textsOf({
  name,
  application,
  allowed_channels,
  templates,
}: Templated): [label: string, text: string][] {
  const { email, sms, whatsapp, in_app, webhook } = templates
  return [
    ['Name', name],
    ...(application === undefined ? [] : [['Application', application] as [string, string]]),
    ...(allowed_channels ? [['Channels', namesOf(allowed_channels)] as [string, string]] : []),
    ...(email ? named('email', { subject: email.subject, text: email.body, HTML: email.html_body }) : []),
    ...(sms ? named('sms', { text: sms.body }) : []),
    ...(whatsapp ? named('whatsapp', whatsAppTexts(whatsapp)) : []),
    ...(in_app ? named('in_app', { title: in_app.title, text: in_app.body, data: in_app.data }) : []),
    ...(webhook ? named('webhook', { data: webhook.data }) : []),
  ]
}

function whatsAppTexts({ template_name, language, category, parameters }: NonNullable<Templates['whatsapp']>) {
  return { template: `${template_name} (${language}), ${category}`, parameters }
}

function named(channel: Channel, parts: Record<string, unknown>): [string, string][] {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([part, value]) => [`${channelNames[channel]} ${part}`, typeof value === 'string' ? value : pretty(value)])
}

const context = 3
/** Comparing takes time with the square of the edits; texts that differ more are shown as replaced. */
const mostEdits = 1000

function linesOf(before: string, after: string): DiffLine[] {
  const [old, now] = [withEnd(before), withEnd(after)]
  const parts = diffLines(old, now, { maxEditLength: mostEdits }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ]
  const lines = parts
    .filter(({ value }) => value !== '')
    .flatMap(({ value, added, removed }): DiffLine[] => {
      const kind = added ? 'added' : removed ? 'removed' : 'same'
      const texts = value.replace(/\n$/, '').split('\n')
      return texts.map((text) => ({ kind, text }))
    })
  return withoutFar(lines)
}

/** Every line ends, so that a last line is compared as any other. */
const withEnd = (text: string) => (text === '' ? '' : `${text.replaceAll('\r\n', '\n')}\n`)

/** Leaves out unchanged lines that are far from a change. */
function withoutFar(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same'),
  )
  const kept: DiffLine[] = []
  lines.forEach((line, at) => {
    const last = kept.at(-1)
    if (isNear[at]) kept.push(line)
    else if (last?.kind === 'skipped') last.count++
    else kept.push({ kind: 'skipped', count: 1 })
  })
  return kept
}
