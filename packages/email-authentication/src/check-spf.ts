import { type Finding, foundIn, readable, unanswered } from './finding.ts'
import type { Lookup } from './lookup.ts'
import { isSpf, SpfFault } from './parse-spf.ts'
import { walkSpf } from './walk-spf.ts'

interface ExpectedInclude {
  name: string
  /** The name that the record must include. */
  include: string
}

/** Checks that a name has exactly one SPF record, which includes ours and stays within the limits of RFC 7208. */
export async function checkSpf(lookup: Lookup, { name, include }: ExpectedInclude): Promise<Finding> {
  const answer = await lookup.txt(name)
  if (answer.kind === 'trouble') return unanswered(name, answer.reason)
  const texts = answer.kind === 'records' ? answer.records : []
  const records = texts.filter(isSpf)
  const record = records[0]
  if (record === undefined) return absent(name, texts)
  const found = foundIn(records)
  if (records.length > 1) {
    const error = `${records.length} SPF records are at ${name}, and receivers accept none of them then. Merge them into one that has include:${include}.`
    return { verdict: 'wrong', found, error }
  }
  try {
    const { includes, hidden } = await walkSpf(lookup, name, record, include)
    if (includes) return { verdict: 'right', found }
    return { verdict: 'wrong', found, error: adviceFor(hidden, record, include) }
  } catch (error) {
    if (!(error instanceof SpfFault)) throw error
    if (error.kind === 'temperror') return { ...unanswered(name, error.message), found }
    return {
      verdict: 'wrong',
      found,
      error: `Receivers cannot use the record (permerror): ${error.message}. Correct it.`,
    }
  }
}

function absent(name: string, texts: readonly string[]): Finding {
  const nearly = texts.filter((text) => /spf/i.test(text.slice(0, 12)))
  if (nearly.length === 0) {
    return {
      verdict: 'absent',
      error: `There is no SPF record at ${name}. Publish the value shown; it can take some time to be seen.`,
    }
  }
  const why = nearly.some((text) => text.startsWith('"'))
    ? 'its value contains quotation marks. Publish it without them'
    : 'an SPF record begins with v=spf1 and a space. Publish the value shown'
  return { verdict: 'wrong', found: foundIn(nearly), error: `There is no SPF record at ${name}: ${why}.` }
}

function adviceFor(hidden: 'after all' | 'qualifier' | undefined, record: string, include: string): string {
  if (hidden === 'after all')
    return `include:${include} stands after all, where nothing is read any more. Move it before.`
  if (hidden === 'qualifier')
    return `include:${include} has a qualifier that does not let messages pass. Remove the qualifier.`
  const merged = readable(`${record.slice(0, 6)} include:${include}${record.slice(6)}`)
  return `The record does not include ours. Change it to: ${merged}`
}
