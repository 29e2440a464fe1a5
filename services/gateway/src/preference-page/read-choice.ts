import { Frequency, type LinkAction } from '@notify/contracts'

/** A form may have more fields than there can be topics; the rest is left out. */
const mostTopics = 100

const keysOf = (form: URLSearchParams, name: string) =>
  form
    .getAll(name)
    .filter((key) => /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/.test(key))
    .slice(0, mostTopics)

const frequencyField = /^frequency\.([a-zA-Z0-9][a-zA-Z0-9._-]{0,63})$/

/** How often the topics of `frequency.<topic_key>` are wanted; an empty value stands for "as the event says". */
const frequenciesOf = (form: URLSearchParams) =>
  [...form]
    .slice(0, 3 * mostTopics)
    .flatMap(([name, value]) => {
      const topic = frequencyField.exec(name)?.[1]
      const frequency = value === '' ? null : Frequency.safeParse(value).data
      return topic === undefined || frequency === undefined ? [] : [{ topic, frequency }]
    })
    .slice(0, mostTopics)

/**
 * Reads what was posted: the page's forms, or what mail programs post (RFC 8058, 3.1), which may also be multipart. A body of
 * another form unsubscribes, too: a client that only reads a link does not post to it.
 */
export function readChoice(body: Buffer): LinkAction {
  const form = new URLSearchParams(body.toString('utf8'))
  switch (form.get('action')) {
    case 'stop_all':
      return { action: 'stop_all' }
    case 'start_again':
      return { action: 'start_again' }
    case 'save': {
      const on = keysOf(form, 'topic')
      const off = keysOf(form, 'listed').filter((key) => !on.includes(key))
      return { action: 'save', on, off, frequencies: frequenciesOf(form) }
    }
    default:
      return { action: 'unsubscribe' }
  }
}
