import { type Finding, foundIn, unanswered } from './finding.ts'
import type { Lookup } from './lookup.ts'

/** Checks that a MAIL FROM domain has exactly the mail server that the carrier requires for bounces. */
export async function checkMailFrom(lookup: Lookup, expected: { name: string; exchange: string }): Promise<Finding> {
  const { name, exchange } = expected
  const answer = await lookup.mx(name)
  if (answer.kind === 'trouble') return unanswered(name, answer.reason)
  if (answer.kind === 'absent')
    return { verdict: 'absent', error: `There is no MX record at ${name}. Publish the value shown.` }
  const found = foundIn(answer.records.map(({ priority, exchange: server }) => `${priority} ${server}`))
  const [first, ...more] = answer.records
  if (more.length > 0) {
    return {
      verdict: 'wrong',
      found,
      error: `${name} must have exactly one MX record. Keep the one shown and remove the others.`,
    }
  }
  if (first?.exchange.toLowerCase().replace(/\.$/, '') === exchange) return { verdict: 'right', found }
  return { verdict: 'wrong', found, error: 'The MX record names another mail server. Publish the value shown.' }
}
