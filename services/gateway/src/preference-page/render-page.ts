import { type Brand, Frequency, type OpenedLink } from '@notify/contracts'
import {
  directionOf,
  type FrequencyWords,
  frequencyWords,
  nameOfChannel,
  type PreferencePageWords,
} from '@notify/locales'
import { hashSource, strictPolicy } from '../docs/page.ts'
import { escaped, fill } from './escape-html.ts'
import { pageStyle } from './page-style.ts'

/** The application as its recipients see it. */
export interface Sender {
  name: string
  brand: Brand
}

/** What the page says first: a question, or what was done. */
export type Notice = 'ask' | 'stopped' | 'saved'

export interface Page {
  html: string
  /** The Content-Security-Policy. */
  policy: string
}

interface Language {
  locale: string
  words: PreferencePageWords
}

/** The page of a link: what its reader receives, and forms to change it. It has no script. */
export function renderPage(
  link: OpenedLink,
  { name, brand }: Sender,
  { locale, words }: Language,
  notice: Notice,
): Page {
  const channel = nameOfChannel(locale, link.channel)
  const topic = link.topics.find(({ topic_key }) => topic_key === link.topic)
  const heading = fill(words.title, { application: name })
  const title = words.title.replace('{application}', () => name)
  const logo = brand.logo_url === undefined ? '' : `<img class="logo" src="${escaped(brand.logo_url)}" alt="">`
  const recipient =
    link.recipient_masked && `<p class="to">${fill(words.recipient, { recipient: link.recipient_masked })}</p>`
  const body = [
    `<header>${logo}<h1>${heading}</h1>${recipient}</header>`,
    notice === 'saved' ? `<p role="status" class="done">${escaped(words.saved)}</p>` : '',
    notice === 'stopped' ? `<p role="status" class="done">${stoppedText(link, words, topic, channel)}</p>` : '',
    notice === 'ask' && !link.all_off && topic?.state !== 'required' ? question(words, topic) : '',
    link.all_off ? again(words, channel, notice) : choices(link, words, channel, frequencyWords[locale]!),
  ]
  return frame(locale, title, body.join(''), brand)
}

/** The page for what is no link of ours. */
export const renderInvalid = ({ locale, words }: Language): Page =>
  frame(locale, escaped(words.invalid), `${headed(words.invalid)}<p>${escaped(words.invalidHint)}</p>`, {})

/** The page while the link cannot be opened. */
export const renderUnavailable = ({ locale, words }: Language): Page =>
  frame(locale, escaped(words.unavailable), headed(words.unavailable), {})

const headed = (text: string) => `<h1>${escaped(text)}</h1>`

type Topic = OpenedLink['topics'][number]

/** What one click did. The topic may be deleted or required since the message was sent; then everything else still comes. */
function stoppedText(link: OpenedLink, words: PreferencePageWords, topic: Topic | undefined, channel: string): string {
  if (link.all_off) return fill(words.allOff, { channel })
  if (topic === undefined) return escaped(words.saved)
  if (topic.state === 'required') return `${fill('{topic}', { topic: topic.name })}: ${escaped(words.required)}`
  return fill(words.stopped, { topic: topic.name })
}

/** What mail programs post, too (RFC 8058). */
function question(words: PreferencePageWords, topic: Topic | undefined): string {
  const ask = topic === undefined ? escaped(words.askAll) : fill(words.ask, { topic: topic.name })
  const button = `<button class="main" name="List-Unsubscribe" value="One-Click">${escaped(words.unsubscribe)}</button>`
  return `<form method="post"><h2>${ask}</h2>${button}</form>`
}

function again(words: PreferencePageWords, channel: string, notice: Notice): string {
  const told = notice === 'stopped' ? '' : `<p>${fill(words.allOff, { channel })}</p>`
  return `<form method="post">${told}<button name="action" value="start_again">${escaped(words.startAgain)}</button></form>`
}

const hidden = (name: string, value: string) =>
  `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`

/** A choice that counts where the box above it is checked; `read-choice.ts` reads it. */
function frequencyChoice({ topic_key, name, frequency, is_removable }: Topic, words: FrequencyWords): string {
  // Dispatch of an earlier release does not say so, and the first option would be chosen.
  const usual = is_removable !== false ? [['', words.asUsual]] : []
  const options = [...usual, ...Frequency.options.map((one) => [one, words[one]])].map(
    ([value = '', text = '']) =>
      `<option value="${value}"${value === (frequency ?? '') ? ' selected' : ''}>${escaped(text)}</option>`,
  )
  const label = escaped(`${words.howOften}: ${name}`)
  const select = `<select name="frequency.${escaped(topic_key)}" aria-label="${label}">${options.join('')}</select>`
  return `<label class="often"><span>${escaped(words.howOften)}</span>${select}</label>${hidden(`shown_frequency.${topic_key}`, frequency ?? '')}`
}

function choices({ topics }: OpenedLink, words: PreferencePageWords, channel: string, often: FrequencyWords): string {
  if (topics.length === 0) return ''
  const rows = topics.map((topic) => {
    const { topic_key: key, name, description, state, overridden } = topic
    const isFixed = state === 'required' || overridden
    const attributes = `${state === 'off' ? '' : ' checked'}${isFixed ? ' disabled' : ''}`
    const hint = [description, state === 'required' ? words.required : ''].filter((text) => text !== '')
    // The form says what it showed, so that only what its reader changes is saved.
    const shown = isFixed ? '' : hidden('listed', key) + (state === 'off' ? hidden('shown_off', key) : '')
    const hints = hint.map((text) => `<small>${escaped(text)}</small>`).join('')
    return `<li><label><input type="checkbox" name="topic" value="${escaped(key)}"${attributes}><span><b>${escaped(name)}</b>${hints}</span></label>${shown}${topic.digests && !isFixed ? frequencyChoice(topic, often) : ''}</li>`
  })
  const save = `<button name="action" value="save">${escaped(words.save)}</button>`
  const stopAll = `<button class="quiet" name="action" value="stop_all">${escaped(words.stopAll)}</button>`
  // A browser that restores boxes after a reload would restore what another page has changed since.
  return `<form method="post" autocomplete="off"><h2>${fill(words.choose, { channel })}</h2><ul>${rows.join('')}</ul><p class="actions">${save} ${stopAll}</p></form>`
}

function frame(locale: string, title: string, body: string, { color, logo_url }: Brand): Page {
  const style = pageStyle(color)
  const policy = [
    ...strictPolicy.filter((directive) => !directive.startsWith('form-action')),
    "form-action 'self'",
    `style-src ${hashSource(style)}`,
    ...(logo_url === undefined ? [] : [`img-src ${new URL(logo_url).origin}`]),
  ]
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escaped(title)}</title><style>${style}</style>`
  const html = `<!doctype html><html lang="${escaped(locale)}" dir="${directionOf(locale)}"><head>${head}</head><body><main>${body}</main></body></html>`
  return { html, policy: policy.join('; ') }
}
