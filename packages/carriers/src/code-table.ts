import type { Receipt } from '@notify/contracts'
import { type Verdict, verdictOfStatus } from './verdict.ts'

/** A carrier's documented codes. */
export interface CodeTable {
  listed: readonly string[]
  /** The verdict on a refused call: by code if known, else by HTTP status. */
  judge(status: number, code: string): Verdict
  /** The meaning of a receipt's code: reason for people, retryable, suppression. */
  explain(code: string | null, sentence?: string): Pick<Receipt, 'reason' | 'retryable' | 'suppress'>
  /** The reason for people: code and text. */
  describe(code: string | null, fallback?: string): string
}

const noReason = 'The carrier gave no reason'

/** @param unlisted the verdict on codes of ranges */
export function createCodeTable(
  codes: Readonly<Record<string, Verdict>>,
  unlisted: (code: string) => Verdict | undefined = () => undefined,
): CodeTable {
  const verdictOf = (code: string) => (Object.hasOwn(codes, code) ? codes[code] : unlisted(code))
  const describe: CodeTable['describe'] = (code, fallback = noReason) =>
    code === null ? fallback : `${code} ${verdictOf(code)?.text ?? fallback}`
  return {
    listed: Object.keys(codes),
    judge: (status, code) => verdictOf(code) ?? verdictOfStatus(status),
    explain(code, sentence) {
      const { outcome, suppress } = (code === null ? undefined : verdictOf(code)) ?? {}
      const retryable = outcome !== 'rejected_permanent'
      return { reason: describe(code, sentence || noReason), retryable, ...(suppress ? { suppress } : {}) }
    },
    describe,
  }
}
